package main

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"sync"
	"time"

	comm "parley.example/driver/parleycomm"
)

// peerOperations maps the operations on peers. The driver is the other end of
// the peer's WebSocket.
var peerOperations = map[string]operation{
	"comm.peer.new":     peerNew,
	"comm.peer.serve":   peerServe,
	"comm.peer.request": peerRequest,
	"comm.peer.feed":    peerFeed,
	"comm.peer.sent":    peerSent,
	"comm.peer.calls":   peerCalls,
}

// peerEnd is a peer and the other end of its transport.
type peerEnd struct {
	peer *comm.Peer
	side *socketSide
	// read is the number of sent messages that peerSent has returned.
	read int

	mutex          sync.Mutex
	calls, aborted int
}

func peerNew(c *call) (any, error) {
	seed, side := c.hex("seedHex"), &socketSide{}
	did, err := comm.FormatDIDKey(comm.PublicKeyOf(seed))
	if err != nil {
		return nil, err
	}
	peer, err := comm.NewPeer(comm.PeerOptions{
		Seed:      seed,
		Transport: comm.SocketTransport(side),
		Verifier: &comm.Verifier{
			Recipient: did,
			Clock:     func() int64 { return time.Now().UnixMilli() },
			Resolve:   comm.ResolveOffline,
			Policy:    policyOf(arguments{}),
			Store:     comm.NewMemoryReplayStore(100_000, 0.1),
		},
		Protocol:   c.text("protocol"),
		MaxPending: int(c.number("maxPending", 1000)),
		MaxServing: int(c.number("maxServing", 32)),
	})
	return under("handle", c.keep(&peerEnd{peer: peer, side: side}), err)
}

func peerServe(c *call) (any, error) {
	end := c.on.(*peerEnd)
	end.peer.Serve(end.handle)
	return object{}, nil
}

// handle is the handler of requests, whose payload tells it what to do.
func (e *peerEnd) handle(ctx context.Context, payload any, update func(any) error) (any, error) {
	e.mutex.Lock()
	e.calls++
	isFirst := e.calls == 1
	e.mutex.Unlock()
	given, _ := payload.(object)
	asked := arguments(given)
	updates, _ := asked["updates"].([]any)
	for _, each := range updates {
		if err := update(each); err != nil {
			return nil, err
		}
	}
	if fails, isGiven := asked["fail"].(object); isGiven {
		failure := arguments(fails)
		return nil, &comm.PeerError{Code: failure.text("code"), Message: failure.text("message"), Data: fails["data"]}
	}
	if crash := asked.text("crash"); crash != "" && (crash != "once" || isFirst) {
		return nil, errors.New(crash)
	}
	if asked["wait"] == true {
		<-ctx.Done()
		e.mutex.Lock()
		e.aborted++
		e.mutex.Unlock()
		return nil, ctx.Err()
	}
	return asked["respond"], nil
}

func peerRequest(c *call) (any, error) {
	end, updates := c.on.(*peerEnd), []any{}
	options := comm.RequestOptions{
		MessageType: c.text("messageType"),
		Timeout:     time.Duration(c.number("timeoutMs", 60_000)) * time.Millisecond,
		MaxTotal:    time.Duration(c.number("maxTotalMs", 600_000)) * time.Millisecond,
		OnUpdate:    func(payload any) { updates = append(updates, payload) },
	}
	return waiting(func(ctx context.Context) (any, error) {
		payload, err := end.peer.Request(ctx, c.text("recipient"), c.arguments["payload"], options)
		return object{"payload": payload, "updates": updates}, err
	}), nil
}

// peerFeed delivers a frame: a text, a signed message, or a message that the
// driver signs.
func peerFeed(c *call) (any, error) {
	end := c.on.(*peerEnd)
	if c.arguments["end"] == true {
		end.side.feed(arguments{"close": 1000.0})
		return object{}, nil
	}
	if _, isText := c.arguments["text"]; isText {
		end.side.feed(c.arguments)
		return object{}, nil
	}
	message, isSigned := c.arguments["signed"].(object)
	if !isSigned {
		signed, err := signFor(end.peer.DID, c.object("message"), c.hex("seedHex"))
		if err != nil {
			return nil, err
		}
		message = signed
	}
	changed := maps.Clone(message)
	maps.Copy(changed, c.object("change"))
	text, err := json.Marshal(changed)
	if err != nil {
		return nil, err
	}
	end.side.feed(arguments{"text": string(text)})
	return object{"message": message}, nil
}

func signFor(recipient string, given arguments, seed []byte) (comm.Message, error) {
	did, err := comm.FormatDIDKey(comm.PublicKeyOf(seed))
	if err != nil {
		return nil, err
	}
	init := maps.Clone(given)
	init["sender"], init["recipient"] = did, recipient
	message, err := comm.NewMessage(init)
	if err != nil {
		return nil, err
	}
	return comm.SignMessage(message, seed)
}

func peerSent(c *call) (any, error) {
	end := c.on.(*peerEnd)
	end.read++
	count := end.read
	return waiting(func(ctx context.Context) (any, error) {
		frames, err := end.side.sentFrames(ctx, count)
		if err != nil {
			return nil, err
		}
		text := frames.([]any)[count-1].(map[string]any)["text"].(string)
		message, err := comm.ParseLenientJSON(text)
		return under("message", message, err)
	}), nil
}

func peerCalls(c *call) (any, error) {
	end := c.on.(*peerEnd)
	end.mutex.Lock()
	defer end.mutex.Unlock()
	return object{"calls": end.calls, "aborted": end.aborted}, nil
}
