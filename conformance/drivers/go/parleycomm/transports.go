package parleycomm

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"
)

// Transport sends and receives messages, in the order in which Send and
// Receive are called.
type Transport interface {
	// Send sends a message. The operation waits for capacity.
	Send(message Message) *Pending
	// Receive receives the next message, or nil at the end.
	Receive() *Pending
	// Close ends both directions. Close can be called more than once.
	Close()
}

// queueTransport is a transport with one queue per direction. An unreadable
// message is queued as an error.
type queueTransport struct {
	inbound, outbound *queue
	encode            func(Message) any
	waits             bool
	onClose           func()
}

func (t *queueTransport) Send(message Message) *Pending {
	return t.outbound.put(t.encode(message), t.waits)
}

func (t *queueTransport) Receive() *Pending { return t.inbound.take() }

func (t *queueTransport) Close() {
	t.inbound.cancel()
	t.outbound.end()
	t.onClose()
}

// ReceiveMessage waits for the result of Receive.
func ReceiveMessage(ctx context.Context, pending *Pending) (Message, error) {
	item, err := pending.Wait(ctx)
	if err != nil {
		return nil, err
	}
	if failure, isFailure := item.(error); isFailure {
		return nil, failure
	}
	message, _ := item.(Message)
	return message, nil
}

// ChannelPair creates two connected transports in one process. If waits is
// false, sending to a full queue fails.
func ChannelPair(capacity int, waits bool) (Transport, Transport) {
	there, back := newQueue(capacity), newQueue(capacity)
	// Messages are copied, because the sender could change them before they are received.
	clone := func(message Message) any { return cloneValue(message) }
	none := func() {}
	return &queueTransport{back, there, clone, waits, none}, &queueTransport{there, back, clone, waits, none}
}

// NoopTransport discards sent messages and receives nothing.
type NoopTransport struct{ outbound, inbound *queue }

// NewNoopTransport creates a transport without another end.
func NewNoopTransport() *NoopTransport {
	inbound := newQueue(0)
	inbound.end()
	return &NoopTransport{newQueue(1), inbound}
}

// Send discards a message, unless the transport is closed.
func (t *NoopTransport) Send(message Message) *Pending {
	sent := t.outbound.put(message, true)
	t.outbound.take()
	return sent
}

// Receive returns nil immediately.
func (t *NoopTransport) Receive() *Pending { return t.inbound.take() }

// Close makes Send fail.
func (t *NoopTransport) Close() { t.outbound.end() }

// formatMessage formats a message as JSON on one line, which ends with a line
// feed.
func formatMessage(message Message) any {
	var built bytes.Buffer
	encoder := json.NewEncoder(&built)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(message); err != nil {
		panic(err) // A message contains only JSON values.
	}
	return built.Bytes()
}

func parseOrError(text string) any {
	message, err := ParseMessage(text)
	if err != nil {
		return err
	}
	return message
}

// lineSplitter splits bytes into lines of limited length.
type lineSplitter struct {
	line       []byte
	isSkipping bool
}

// push adds a chunk. It returns the completed lines, and an error for each
// overlong line.
func (s *lineSplitter) push(chunk []byte) []any {
	found := []any{}
	for {
		piece, rest, isEnd := bytes.Cut(chunk, []byte("\n"))
		found = append(found, s.add(piece)...)
		if !isEnd {
			return found
		}
		found = append(found, s.end()...)
		chunk = rest
	}
}

// end ends the current line. It returns the line unless it was too long.
func (s *lineSplitter) end() []any {
	line, isSkipping := string(s.line), s.isSkipping
	s.line, s.isSkipping = s.line[:0], false
	if isSkipping || len(bytes.Trim([]byte(line), " \t\r")) == 0 {
		return nil
	}
	return []any{parseOrError(line)}
}

func (s *lineSplitter) add(piece []byte) []any {
	if s.isSkipping {
		return nil
	}
	if len(s.line)+len(piece) <= MaxBytes {
		s.line = append(s.line, piece...)
		return nil
	}
	s.line, s.isSkipping = s.line[:0], true
	return []any{fail("message_too_large", "a line of more than %d bytes", MaxBytes)}
}

// StreamTransport creates a transport over a pair of byte streams, with one
// message per line. Closing the transport closes both streams.
func StreamTransport(reader io.ReadCloser, writer io.WriteCloser) Transport {
	inbound, outbound := newQueue(100), newQueue(100)
	var running sync.WaitGroup
	running.Add(2)
	go func() {
		defer running.Done()
		readLines(reader, inbound)
	}()
	go func() {
		defer running.Done()
		writeLines(writer, outbound)
	}()
	stop := sync.OnceFunc(func() {
		reader.Close()
		running.Wait()
	})
	return &queueTransport{inbound, outbound, formatMessage, true, stop}
}

func readLines(reader io.Reader, inbound *queue) {
	defer inbound.end()
	splitter, buffer := &lineSplitter{}, make([]byte, 65_536)
	for {
		count, err := reader.Read(buffer)
		lines := splitter.push(buffer[:count])
		if err != nil {
			lines = append(lines, splitter.end()...)
		}
		for _, line := range lines {
			if _, closed := inbound.put(line, true).Wait(context.Background()); closed != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func writeLines(writer io.WriteCloser, outbound *queue) {
	defer writer.Close()
	for {
		line, _ := outbound.take().Wait(context.Background())
		data, isLine := line.([]byte)
		if !isLine {
			return
		}
		if _, err := writer.Write(data); err != nil {
			outbound.cancel()
			return
		}
	}
}

// Frame is a WebSocket frame.
type Frame struct {
	Data   []byte
	IsText bool
}

// Socket is an open WebSocket.
type Socket interface {
	// ReadFrame returns io.EOF after either end has closed the connection, and
	// another error if the connection is lost.
	ReadFrame() (Frame, error)
	WriteText(text string) error
	Close() error
}

// SocketTransport creates a transport over a WebSocket, with one message per
// text frame.
func SocketTransport(socket Socket) Transport {
	inbound, outbound := newQueue(1000), newQueue(1000)
	var running sync.WaitGroup
	running.Add(2)
	go func() {
		defer running.Done()
		readFrames(socket, inbound)
		outbound.cancel()
	}()
	go func() {
		defer running.Done()
		writeFrames(socket, outbound)
	}()
	return &queueTransport{inbound, outbound, formatMessage, true, sync.OnceFunc(running.Wait)}
}

func readFrames(socket Socket, inbound *queue) {
	defer inbound.end()
	for {
		frame, err := socket.ReadFrame()
		if err != nil && err != io.EOF {
			inbound.endWith(fail("receive_failed", "%v", err))
		}
		if err != nil {
			return
		}
		item := any(fail("deserialization_failed", "frame is not text"))
		if frame.IsText {
			item = parseOrError(string(frame.Data))
		}
		if _, closed := inbound.put(item, true).Wait(context.Background()); closed != nil {
			return
		}
	}
}

// writeFrames sends all queued messages, then closes the socket, which also
// ends readFrames.
func writeFrames(socket Socket, outbound *queue) {
	defer socket.Close()
	for {
		item, _ := outbound.take().Wait(context.Background())
		data, isMessage := item.([]byte)
		if !isMessage {
			return
		}
		if err := socket.WriteText(string(bytes.TrimSuffix(data, []byte("\n")))); err != nil {
			return
		}
	}
}
