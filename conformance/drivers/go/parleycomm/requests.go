package parleycomm

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

var (
	answerTypes   = []string{"update", "response", "error"}
	reservedTypes = append([]string{"cancel"}, answerTypes...)
)

// PeerError is an error that a handler returns to inform the requester.
type PeerError struct {
	Code    string
	Message string
	// Data is optional.
	Data any
}

func (e *PeerError) Error() string { return e.Code + ": " + e.Message }

func (e *PeerError) payload() map[string]any {
	payload := map[string]any{"code": e.Code, "message": e.Message}
	if e.Data != nil {
		payload["data"] = e.Data
	}
	return payload
}

var (
	errBusy       = &PeerError{Code: "busy", Message: "too many requests in progress"}
	errInternal   = &PeerError{Code: "internal_error", Message: "internal error"}
	errNotServing = &PeerError{Code: "not_serving", Message: "this agent does not serve requests"}
)

// Handler serves a request and returns the payload of the response. update
// sends an update to the requester. The context is cancelled if the requester
// cancels the request or the transport ends.
type Handler func(ctx context.Context, payload any, update func(payload any) error) (any, error)

// RequestOptions are the options of one request.
type RequestOptions struct {
	// MessageType is "request" if empty.
	MessageType string
	// Timeout is the time without a reply after which the request fails.
	Timeout time.Duration
	// MaxTotal is the time after which the request fails in any case.
	MaxTotal time.Duration
	// OnUpdate is called with the payload of each update.
	OnUpdate func(payload any)
}

// PeerOptions are the options of a Peer.
type PeerOptions struct {
	Seed       []byte
	Transport  Transport
	Verifier   *Verifier
	Protocol   string
	MaxPending int
	MaxServing int
}

// Peer is an agent with a did:key that sends and serves the requests of one
// protocol. It is the only reader of its transport. Received messages are
// verified one after another, and invalid messages are dropped.
type Peer struct {
	DID     string
	options PeerOptions

	mutex   sync.Mutex
	handler Handler
	pending map[string]*pendingRequest
	serving map[replayKey]context.CancelFunc
	// ended is closed when the transport has ended.
	ended   chan struct{}
	isEnded bool
}

// pendingRequest is a request that waits for its response.
type pendingRequest struct {
	recipient string
	answers   chan Message
	// done is closed when the request has ended.
	done chan struct{}
}

// NewPeer creates a peer and starts to read from its transport.
func NewPeer(options PeerOptions) (*Peer, error) {
	did, err := FormatDIDKey(PublicKeyOf(options.Seed))
	if err != nil {
		return nil, err
	}
	peer := &Peer{
		DID:     did,
		options: options,
		pending: map[string]*pendingRequest{},
		serving: map[replayKey]context.CancelFunc{},
		ended:   make(chan struct{}),
	}
	go peer.read()
	return peer, nil
}

// Serve serves requests. Without a handler, a peer rejects requests.
func (p *Peer) Serve(handler Handler) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.handler = handler
}

// Close ends the peer and its transport.
func (p *Peer) Close() {
	p.end()
	p.options.Transport.Close()
}

// Request sends a request and returns the payload of the response. A request
// that times out or whose context ends sends a cancel message.
func (p *Peer) Request(ctx context.Context, recipient string, payload any, options RequestOptions) (any, error) {
	messageType := options.MessageType
	if messageType == "" {
		messageType = "request"
	}
	if slices.Contains(reservedTypes, messageType) {
		return nil, fail("invalid_argument", "%s is not a type of requests", messageType)
	}
	message, err := p.newMessage(recipient, messageType, payload, "")
	if err != nil {
		return nil, err
	}
	id := textOf(message, "id")
	pending := &pendingRequest{recipient, make(chan Message), make(chan struct{})}
	if err := p.add(id, pending); err != nil {
		return nil, err
	}
	defer p.remove(id, pending)
	if err := p.send(ctx, message); err != nil {
		return nil, err
	}
	answer, isAnswered, err := pending.wait(ctx, p.ended, options)
	if !isAnswered {
		go p.sendNew(recipient, "cancel", nil, id)
	}
	return answer, err
}

// wait returns the response, and whether a reply or the end of the transport
// has ended the request.
func (r *pendingRequest) wait(ctx context.Context, ended <-chan struct{}, options RequestOptions) (any, bool, error) {
	total, silence := time.NewTimer(options.MaxTotal), time.NewTimer(options.Timeout)
	defer total.Stop()
	defer silence.Stop()
	timedOut := fail("timeout", "no response from %s", r.recipient)
	for {
		select {
		case <-ctx.Done():
			return nil, false, ctx.Err()
		case <-total.C:
			return nil, false, timedOut
		case <-silence.C:
			return nil, false, timedOut
		case <-ended:
			return nil, true, fail("transport_closed", "transport was closed")
		case message := <-r.answers:
			switch message["messageType"] {
			case "response":
				return message["payload"], true, nil
			case "error":
				return nil, true, failAt("request_failed", r.recipient, readError(message["payload"]))
			}
			silence.Reset(options.Timeout)
			if options.OnUpdate != nil {
				options.OnUpdate(message["payload"])
			}
		}
	}
}

// readError returns the code, the message and the data of an error message.
func readError(payload any) map[string]any {
	given, _ := payload.(map[string]any)
	found := map[string]any{"code": "unknown", "message": ""}
	if code, isText := given["code"].(string); isText && code != "" {
		found["code"] = code
	}
	if message, isText := given["message"].(string); isText {
		found["message"] = message
	}
	if has(given, "data") {
		found["data"] = given["data"]
	}
	return found
}

func (p *Peer) add(id string, pending *pendingRequest) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.isEnded {
		return fail("transport_closed", "transport is closed")
	}
	if len(p.pending) >= p.options.MaxPending {
		return fail("capacity_exceeded", "%d requests are pending", p.options.MaxPending)
	}
	p.pending[id] = pending
	return nil
}

func (p *Peer) remove(id string, pending *pendingRequest) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	delete(p.pending, id)
	close(pending.done)
}

func (p *Peer) newMessage(recipient, messageType string, payload any, correlationID string) (Message, error) {
	init := map[string]any{
		"sender":      p.DID,
		"recipient":   recipient,
		"protocol":    p.options.Protocol,
		"messageType": messageType,
		"payload":     payload,
	}
	if correlationID != "" {
		init["correlationId"] = correlationID
	}
	return NewMessage(init)
}

func (p *Peer) send(ctx context.Context, message Message) error {
	signed, err := SignMessage(message, p.options.Seed)
	if err != nil {
		return err
	}
	_, err = p.options.Transport.Send(signed).Wait(ctx)
	return err
}

func (p *Peer) sendNew(recipient, messageType string, payload any, correlationID string) {
	message, err := p.newMessage(recipient, messageType, payload, correlationID)
	if err == nil {
		// If the transport has ended, nobody can receive the message.
		_ = p.send(context.Background(), message)
	}
}

func (p *Peer) reply(ctx context.Context, message Message, messageType string, payload any) error {
	reply, err := ReplyTo(message, messageType, payload, "")
	if err != nil {
		return err
	}
	return p.send(ctx, reply)
}

// read takes messages until the transport ends.
func (p *Peer) read() {
	defer p.end()
	for {
		message, err := ReceiveMessage(context.Background(), p.options.Transport.Receive())
		if message == nil && err == nil {
			return
		}
		if err == nil {
			p.take(message)
		}
	}
}

func (p *Peer) end() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.isEnded {
		return
	}
	p.isEnded = true
	close(p.ended)
	for _, cancel := range p.serving {
		cancel()
	}
}

func (p *Peer) take(message Message) {
	messageType, correlationID := textOf(message, "messageType"), textOf(message, "correlationId")
	switch {
	case message["protocol"] != p.options.Protocol:
	case slices.Contains(answerTypes, messageType):
		p.takeAnswer(message, correlationID)
	case messageType == "cancel":
		p.takeCancel(message, correlationID)
	case correlationID == "":
		p.takeRequest(message)
	}
}

func (p *Peer) isValid(message Message) bool {
	_, err := p.options.Verifier.Verify(context.Background(), message)
	return err == nil
}

func (p *Peer) takeAnswer(message Message, correlationID string) {
	p.mutex.Lock()
	pending, isPending := p.pending[correlationID]
	p.mutex.Unlock()
	if !isPending || pending.recipient != message["sender"] || !p.isValid(message) {
		return
	}
	select {
	case pending.answers <- message:
	case <-pending.done:
	}
}

func (p *Peer) takeCancel(message Message, correlationID string) {
	key := replayKey{textOf(message, "sender"), correlationID}
	p.mutex.Lock()
	cancel, isServing := p.serving[key]
	p.mutex.Unlock()
	if isServing && p.isValid(message) {
		cancel()
	}
}

// takeRequest serves a request or rejects it. A rejected request can be
// delivered again.
func (p *Peer) takeRequest(message Message) {
	reservation, err := p.options.Verifier.Begin(context.Background(), message)
	if err != nil {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	rejection := errNotServing
	if p.handler != nil {
		rejection = errBusy
	}
	if p.handler == nil || len(p.serving) >= p.options.MaxServing {
		// If the store fails, the id stays reserved until the store releases it.
		_ = reservation.Abort()
		go func() { _ = p.reply(context.Background(), message, "error", rejection.payload()) }()
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	key := replayKey{textOf(message, "sender"), textOf(message, "id")}
	p.serving[key] = cancel
	handler := p.handler
	go p.serve(ctx, message, reservation, handler)
}

// serve calls the handler and sends its reply, unless the request was
// cancelled. A request whose handler failed can be delivered again.
func (p *Peer) serve(ctx context.Context, message Message, reservation *Reservation, handler Handler) {
	update := func(payload any) error { return p.reply(ctx, message, "update", payload) }
	payload, err := handler(ctx, message["payload"], update)
	reply, chosen := Message(nil), &PeerError{}
	isChosen := errors.As(err, &chosen)
	if err == nil {
		reply, err = ReplyTo(message, "response", payload, "")
	}
	isCancelled := ctx.Err() != nil
	// The requester receives the reply even if the store fails. The id then stays reserved until the
	// store releases it.
	switch {
	case isCancelled || err == nil || isChosen:
		_ = reservation.Commit()
	default:
		chosen = errInternal
		_ = reservation.Abort()
	}
	key := replayKey{textOf(message, "sender"), textOf(message, "id")}
	p.mutex.Lock()
	p.serving[key]()
	delete(p.serving, key)
	p.mutex.Unlock()
	if isCancelled {
		return
	}
	if err == nil {
		_ = p.send(context.Background(), reply)
		return
	}
	_ = p.reply(context.Background(), message, "error", chosen.payload())
}
