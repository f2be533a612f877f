package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"

	"parley.example/driver/parleycomm"
)

// scriptedWeb simulates all web servers: responses by URL, and status 404 for
// any other URL.
type scriptedWeb struct {
	answers  arguments
	released chan struct{}
	release  func()
	mutex    sync.Mutex
	requests []*webRequest
}

type webRequest struct {
	URL       string `json:"url"`
	BodyBytes int    `json:"bodyBytes"`
}

func newScriptedWeb(answers arguments) *scriptedWeb {
	released := make(chan struct{})
	return &scriptedWeb{answers: answers, released: released, release: sync.OnceFunc(func() { close(released) })}
}

// RoundTrip implements http.RoundTripper.
func (w *scriptedWeb) RoundTrip(request *http.Request) (*http.Response, error) {
	url := request.URL.String()
	answer := arguments{"status": 404.0}
	if given, isGiven := w.answers[url].(map[string]any); isGiven {
		answer = given
	}
	w.mutex.Lock()
	recorded := &webRequest{URL: url}
	w.requests = append(w.requests, recorded)
	w.mutex.Unlock()
	held := w.released
	if answer["held"] != true {
		held = nil
	}
	if answer["stalls"] == "answer" {
		<-request.Context().Done()
		return nil, request.Context().Err()
	}
	if held != nil {
		select {
		case <-held:
		case <-request.Context().Done():
			return nil, request.Context().Err()
		}
	}
	header := http.Header{"Content-Type": {"application/did+json"}}
	for name := range answer.object("headers") {
		header.Set(name, answer.object("headers").text(name))
	}
	status := int(answer.number("status", 200))
	body := &scriptedBody{web: w, request: recorded, ctx: request.Context(), stalls: answer["stalls"] == "body"}
	body.rest = encodeDocument(answer)
	return &http.Response{StatusCode: status, Header: header, Body: body, Request: request}, nil
}

func encodeDocument(answer arguments) []byte {
	data := []byte{}
	if document, isGiven := answer["document"]; isGiven {
		data, _ = json.Marshal(document)
	}
	missing := max(0, int(answer.number("padToBytes", 0))-len(data))
	return append(data, bytes.Repeat([]byte(" "), missing)...)
}

func (w *scriptedWeb) recorded() []webRequest {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	copied := []webRequest{}
	for _, each := range w.requests {
		copied = append(copied, *each)
	}
	return copied
}

// scriptedBody counts the bytes that are read. If it stalls, it never ends.
type scriptedBody struct {
	web     *scriptedWeb
	request *webRequest
	ctx     context.Context
	rest    []byte
	stalls  bool
}

func (b *scriptedBody) Read(buffer []byte) (int, error) {
	count := copy(buffer, b.rest)
	b.rest = b.rest[count:]
	b.web.mutex.Lock()
	b.request.BodyBytes += count
	b.web.mutex.Unlock()
	if count > 0 {
		return count, nil
	}
	if b.stalls {
		<-b.ctx.Done()
		return 0, b.ctx.Err()
	}
	return 0, io.EOF
}

func (b *scriptedBody) Close() error { return nil }

// growing lets callers wait until data changes.
type growing struct {
	mutex   sync.Mutex
	changed chan struct{}
}

// change changes the data and wakes the callers of until.
func (g *growing) change(act func()) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	act()
	if g.changed != nil {
		close(g.changed)
		g.changed = nil
	}
}

// until waits until a condition on the data is true.
func (g *growing) until(ctx context.Context, isTrue func() bool) error {
	for {
		g.mutex.Lock()
		if isTrue() {
			g.mutex.Unlock()
			return nil
		}
		if g.changed == nil {
			g.changed = make(chan struct{})
		}
		changed := g.changed
		g.mutex.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// byteSide is a pair of byte streams and their other end.
type byteSide struct {
	growing
	chunks   [][]byte
	isEnded  bool
	written  []byte
	isClosed bool
}

// feed delivers bytes in chunks. The list of sizes in "chunks" repeats.
func (s *byteSide) feed(args arguments) {
	data := []byte(strings.Repeat(args.text("text"), int(args.number("repeat", 1))))
	if _, isHex := args["textHex"]; isHex {
		data = args.hex("textHex")
	}
	sizes, _ := args["chunks"].([]any)
	s.change(func() {
		for turn := 0; len(data) > 0; turn++ {
			size := len(data)
			if len(sizes) > 0 {
				number, _ := sizes[turn%len(sizes)].(float64)
				size = min(size, int(number))
			}
			s.chunks = append(s.chunks, data[:size])
			data = data[size:]
		}
		s.isEnded = s.isEnded || args["end"] == true
	})
}

func (s *byteSide) Read(buffer []byte) (int, error) {
	count := 0
	_ = s.until(context.Background(), func() bool {
		if len(s.chunks) > 0 && !s.isClosed {
			count = copy(buffer, s.chunks[0])
			s.chunks[0] = s.chunks[0][count:]
			if len(s.chunks[0]) == 0 {
				s.chunks = s.chunks[1:]
			}
			return true
		}
		return s.isEnded || s.isClosed
	})
	if count == 0 {
		return 0, io.EOF
	}
	return count, nil
}

func (s *byteSide) Write(data []byte) (int, error) {
	s.change(func() { s.written = append(s.written, data...) })
	return len(data), nil
}

func (s *byteSide) Close() error {
	s.change(func() { s.isClosed = true })
	return nil
}

// writtenText waits for a number of lines, then returns all written text.
func (s *byteSide) writtenText(ctx context.Context, lines int) (string, error) {
	text := ""
	err := s.until(ctx, func() bool {
		text = string(s.written)
		return strings.Count(text, "\n") >= lines
	})
	return text, err
}

// socketSide is an open WebSocket and its other end.
type socketSide struct {
	growing
	frames   []parleycomm.Frame
	isClosed bool
	isLost   bool
	sent     []any
}

// feed delivers a frame or closes the connection.
func (s *socketSide) feed(args arguments) {
	s.change(func() {
		if code := args.number("close", 0); code != 0 {
			s.isClosed, s.isLost = true, code != 1000 && code != 1001
		} else if _, isHex := args["hex"]; isHex {
			s.frames = append(s.frames, parleycomm.Frame{Data: args.hex("hex")})
		} else {
			s.frames = append(s.frames, parleycomm.Frame{Data: []byte(args.text("text")), IsText: true})
		}
	})
}

func (s *socketSide) ReadFrame() (parleycomm.Frame, error) {
	var frame parleycomm.Frame
	isFound := false
	_ = s.until(context.Background(), func() bool {
		if len(s.frames) > 0 {
			frame, s.frames, isFound = s.frames[0], s.frames[1:], true
		}
		return isFound || s.isClosed
	})
	switch {
	case isFound:
		return frame, nil
	case s.isLost:
		return frame, io.ErrUnexpectedEOF
	}
	return frame, io.EOF
}

func (s *socketSide) WriteText(text string) error {
	s.change(func() { s.sent = append(s.sent, map[string]any{"text": text}) })
	return nil
}

func (s *socketSide) Close() error {
	s.change(func() { s.isClosed = true })
	return nil
}

// sentFrames waits for a number of frames, then returns all sent frames.
func (s *socketSide) sentFrames(ctx context.Context, count int) (any, error) {
	var sent []any
	err := s.until(ctx, func() bool {
		sent = append([]any{}, s.sent...)
		return len(sent) >= count
	})
	return sent, err
}

func decodeHex(text string) []byte {
	data, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return data
}
