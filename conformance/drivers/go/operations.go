package main

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	comm "parley.example/driver/parleycomm"
)

type object = map[string]any

// operations maps the operations of comm to functions of parleycomm.
var operations = map[string]operation{
	"comm.canonicalize":         canonicalize,
	"comm.ed25519.sign":         ed25519Sign,
	"comm.ed25519.verify":       ed25519Verify,
	"comm.did.encode":           didEncode,
	"comm.did.decode":           didDecode,
	"comm.did.webUrl":           didWebURL,
	"comm.resolver.new":         resolverNew,
	"comm.resolver.resolve":     resolverResolve,
	"comm.resolver.requests":    resolverRequests,
	"comm.resolver.release":     resolverRelease,
	"comm.protocol.parse":       protocolParse,
	"comm.message.new":          messageNew,
	"comm.message.decode":       messageDecode,
	"comm.message.equals":       equals(comm.ParseMessage),
	"comm.message.reply":        messageReply,
	"comm.message.payload":      messagePayload,
	"comm.message.sign":         messageSign,
	"comm.signer.open":          signerOpen,
	"comm.message.verify":       messageVerify,
	"comm.replayStore.new":      replayStoreNew,
	"comm.replayStore.fake":     replayStoreFake,
	"comm.replayStore.calls":    replayStoreCalls,
	"comm.verifier.new":         verifierNew,
	"comm.verifier.verify":      verifierVerify,
	"comm.verifier.begin":       verifierBegin,
	"comm.verifier.resolutions": verifierResolutions,
	"comm.reservation.commit":   reservationCommit,
	"comm.reservation.abort":    reservationAbort,
	"comm.proof.verify":         proofVerify,
	"comm.proof.make":           proofMake,
	"comm.negotiate":            negotiate,
	"comm.offer.decode":         decodeAs("offer", comm.ParseOffer),
	"comm.offer.equals":         equals(comm.ParseOffer),
	"comm.accept.decode":        decodeAs("accept", comm.ParseAccept),
	"comm.accept.equals":        equals(comm.ParseAccept),
	"comm.negotiation.answer":   negotiationAnswer,
	"comm.negotiation.read":     negotiationRead,
	"comm.channel.pair":         channelPair,
	"comm.noop.new":             noopNew,
	"comm.transport.send":       transportSend,
	"comm.transport.receive":    transportReceive,
	"comm.transport.close":      transportClose,
	"comm.stream.new":           streamNew,
	"comm.stream.feed":          streamFeed,
	"comm.stream.written":       streamWritten,
	"comm.websocket.new":        websocketNew,
	"comm.websocket.feed":       websocketFeed,
	"comm.websocket.sent":       websocketSent,
}

var features = map[string]bool{
	"comm.channel.overflow":     true,
	"comm.decode.pad":           true,
	"comm.did.document":         true,
	"comm.did.jwk":              true,
	"comm.did.web":              true,
	"comm.message.extensions":   true,
	"comm.negotiation.resolver": true,
	"comm.policy.reject":        true,
	"comm.requests":             true,
	"comm.proof.challenge":      true,
	"comm.resolver.clock":       true,
	"comm.verifier.clock":       true,
}

// under returns a value as the member of a result.
func under(name string, value any, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return object{name: value}, nil
}

// Values

func canonicalize(c *call) (any, error) {
	value, err := any(nil), error(nil)
	if _, isBits := c.arguments["float64Hex"]; isBits {
		value = math.Float64frombits(binary.BigEndian.Uint64(c.hex("float64Hex")))
	} else if value, err = comm.ParseJSON(c.text("text")); err != nil {
		return nil, err
	}
	text, err := comm.Canonicalize(value)
	if err != nil {
		return nil, err
	}
	return textAndBytes(text), nil
}

func ed25519Sign(c *call) (any, error) {
	seed := c.hex("seedHex")
	signature := comm.Sign(seed, c.hex("messageHex"))
	return object{
		"publicKeyHex": hex.EncodeToString(comm.PublicKeyOf(seed)),
		"signatureHex": hex.EncodeToString(signature),
	}, nil
}

func ed25519Verify(c *call) (any, error) {
	return object{"valid": comm.Verify(c.hex("publicKeyHex"), c.hex("messageHex"), c.hex("signatureHex"))}, nil
}

func didEncode(c *call) (any, error) {
	did, err := comm.FormatDIDKey(c.hex("publicKeyHex"))
	return under("did", did, err)
}

func didDecode(c *call) (any, error) {
	key, err := comm.KeyOf(c.ctx, c.text("did"))
	return under("publicKeyHex", hex.EncodeToString(key), err)
}

func didWebURL(c *call) (any, error) {
	url, err := comm.WebURL(c.text("did"))
	return under("url", url, err)
}

func protocolParse(c *call) (any, error) {
	protocol, err := comm.ParseProtocol(c.text("text"))
	return protocol, err
}

// Messages

func messageNew(c *call) (any, error) {
	message, err := comm.NewMessage(c.object("init"))
	return under("message", message, err)
}

func messageDecode(c *call) (any, error) {
	if _, isHex := c.arguments["textHex"]; isHex {
		text := string(c.hex("textHex"))
		message, err := comm.ParseMessage(text)
		return under("message", message, withByteOffset(err, text))
	}
	message, err := comm.ParseMessage(padded(c.arguments))
	return under("message", message, err)
}

// withByteOffset converts the offset in an error from characters to bytes. The
// offset of a byte that is not UTF-8 is in bytes already.
func withByteOffset(err error, text string) error {
	var failure *comm.Error
	if !errors.As(err, &failure) || !utf8.ValidString(text) {
		return err
	}
	if characters, hasOffset := failure.Data["offset"].(int); hasOffset {
		failure.Data["offset"] = len(string([]rune(text)[:characters]))
	}
	return err
}

// equals compares the values of two texts by their canonical forms.
func equals(parse func(string) (object, error)) operation {
	return func(c *call) (any, error) {
		texts := []string{}
		for _, name := range []string{"aText", "bText"} {
			value, err := parse(c.text(name))
			if err != nil {
				return nil, err
			}
			text, err := comm.Canonicalize(value)
			if err != nil {
				return nil, err
			}
			texts = append(texts, text)
		}
		return object{"equal": texts[0] == texts[1]}, nil
	}
}

func decodeAs(name string, parse func(string) (object, error)) operation {
	return func(c *call) (any, error) {
		value, err := parse(c.text("text"))
		return under(name, value, err)
	}
}

func messageReply(c *call) (any, error) {
	original, err := comm.ParseMessage(c.text("messageText"))
	if err != nil {
		return nil, err
	}
	reply, err := comm.ReplyTo(original, c.text("messageType"), c.arguments["payload"], c.text("signature"))
	return under("message", reply, err)
}

func messagePayload(c *call) (any, error) {
	message, err := comm.ParseMessage(c.text("messageText"))
	if err != nil {
		return nil, err
	}
	text, err := comm.SigningPayload(message)
	if err != nil {
		return nil, err
	}
	return textAndBytes(text), nil
}

func messageSign(c *call) (any, error) {
	message, err := comm.ParseMessage(c.text("messageText"))
	if err != nil {
		return nil, err
	}
	signed, err := comm.SignMessage(message, c.hex("seedHex"))
	return under("message", signed, err)
}

func signerOpen(c *call) (any, error) {
	key := comm.PrivateKey{DID: c.text("did"), KeyID: c.text("keyId")}
	if _, isPKCS8 := c.arguments["pkcs8Hex"]; isPKCS8 {
		key.PKCS8 = c.hex("pkcs8Hex")
	} else {
		key.JWK = c.object("jwk")
	}
	signer, err := comm.OpenSigner(key)
	if err != nil {
		return nil, err
	}
	return object{
		"did": signer.DID, "keyId": signer.KeyID, "publicKeyHex": hex.EncodeToString(signer.PublicKey),
	}, nil
}

// Verification

// resolverOf returns a resolver that uses the case's documents and resolves
// other DIDs offline.
func resolverOf(args arguments) comm.Resolve {
	return func(ctx context.Context, did string) (any, error) {
		document, isGiven := args.object("didDocuments")[did]
		if !isGiven {
			return comm.ResolveOffline(ctx, did)
		}
		if args.object("didMetadata").object(did)["deactivated"] == true {
			return nil, &comm.Error{Code: "did_deactivated", Message: did}
		}
		return document, nil
	}
}

// verdict returns the verdict of a verification. A rejected message is a
// verdict, not an error.
func verdict(keyID string, covered []string, err error) (object, error) {
	var known *comm.Error
	switch {
	case errors.As(err, &known):
		return object{"valid": false, "reason": known.Code}, nil
	case err != nil:
		return nil, err
	}
	found := object{"valid": true, "covered": covered}
	if keyID != "" {
		found["keyId"] = keyID
	}
	return found, nil
}

func messageVerify(c *call) (any, error) {
	message, err := comm.ParseMessage(c.text("messageText"))
	if err != nil {
		return nil, err
	}
	keyID, err := comm.VerifyMessage(c.ctx, message, resolverOf(c.arguments), c.text("recipient"), 0)
	return verdict(keyID, comm.Signed, err)
}

const defaultSkewMs = 60_000

func proofVerify(c *call) (any, error) {
	message, err := comm.ParseMessage(c.text("messageText"))
	if err != nil {
		return nil, err
	}
	now, _ := comm.ReadTime(c.text("now"))
	resolve := resolverOf(c.arguments)
	expected := comm.ProofExpectations{
		Recipient: c.text("recipient"), Challenge: c.text("challenge"), Now: now, ClockSkewMs: defaultSkewMs,
	}
	keyID, err := comm.VerifyProof(c.ctx, message, resolve, expected)
	return verdict(keyID, comm.CoveredByProof(message), err)
}

func proofMake(c *call) (any, error) {
	message, err := comm.ParseMessage(c.text("messageText"))
	if err != nil {
		return nil, err
	}
	options := object{}
	for _, name := range []string{"created", "expires", "challenge"} {
		if value, isGiven := c.arguments[name]; isGiven {
			options[name] = value
		}
	}
	proven, err := comm.ProveMessage(message, c.hex("seedHex"), options)
	return under("message", proven, err)
}

func replayStoreNew(c *call) (any, error) {
	store := comm.NewMemoryReplayStore(int(c.number("maxEntries", 100_000)), c.number("maxSharePerSender", 0.1))
	return object{"handle": c.keep(store)}, nil
}

// fakeStore is a replay store that returns the results given in the case, one
// per call.
type fakeStore struct {
	results map[string][]any
	calls   []object
}

func (s *fakeStore) Begin(sender, id string, _ int64) (bool, error) {
	isNew, isBool := s.answer("begin", sender, id).(bool)
	if !isBool {
		return false, errors.New("the store is unavailable, or returned no boolean")
	}
	return isNew, nil
}

func (s *fakeStore) Commit(sender, id string) error { return s.settle("commit", sender, id) }

func (s *fakeStore) Abort(sender, id string) error { return s.settle("abort", sender, id) }

func (s *fakeStore) settle(method, sender, id string) error {
	result, _ := s.answer(method, sender, id).(object)
	if result["throws"] == true {
		return errors.New("the store is unavailable")
	}
	return nil
}

func (s *fakeStore) answer(method, sender, id string) any {
	s.calls = append(s.calls, object{"method": method, "sender": sender, "id": id})
	results := s.results[method]
	if len(results) == 0 {
		return nil
	}
	s.results[method] = results[1:]
	return results[0]
}

func replayStoreFake(c *call) (any, error) {
	results := map[string][]any{}
	for method := range c.arguments {
		results[method], _ = c.arguments[method].([]any)
	}
	return object{"handle": c.keep(&fakeStore{results, []object{}})}, nil
}

func replayStoreCalls(c *call) (any, error) {
	return object{"calls": c.on.(*fakeStore).calls}, nil
}

// countingVerifier counts the resolutions of sender DIDs.
type countingVerifier struct {
	comm.Verifier
	now         atomic.Int64
	resolutions int
}

func verifierNew(c *call) (any, error) {
	now, _ := comm.ReadTime(c.text("now"))
	resolve := resolverOf(c.arguments)
	counting := &countingVerifier{Verifier: comm.Verifier{
		Recipient: c.text("recipient"),
		Policy:    policyOf(c.object("policy")),
	}}
	counting.now.Store(now)
	counting.Clock = counting.now.Load
	counting.Resolve = func(ctx context.Context, did string) (any, error) {
		counting.resolutions++
		return resolve(ctx, did)
	}
	if handle, isGiven := c.arguments["replayStore"].(string); isGiven {
		counting.Store = c.objects[handle].(comm.ReplayStore)
	} else if c.arguments["replayGuard"] == true {
		counting.Store = comm.NewMemoryReplayStore(100_000, 0.1)
	}
	return object{"handle": c.keep(counting)}, nil
}

func policyOf(args arguments) comm.Policy {
	texts := func(given arguments) map[string]string {
		found := map[string]string{}
		for name := range given {
			found[name] = given.text(name)
		}
		return found
	}
	policy := comm.Policy{
		Require:            "signature",
		Senders:            texts(args.object("senders")),
		Protocols:          texts(args.object("protocols")),
		MaxAgeMs:           int64(args.number("maxAgeMs", 300_000)),
		ClockSkewMs:        int64(args.number("clockSkewMs", defaultSkewMs)),
		IsReplyToUntrusted: args["replyTo"] == "untrusted",
	}
	if require := args.text("require"); require != "" {
		policy.Require = require
	}
	return policy
}

func verifierVerify(c *call) (any, error) {
	message, err := comm.ParseMessage(c.text("messageText"))
	if err != nil {
		return nil, err
	}
	counting := c.on.(*countingVerifier)
	if now, isGiven := comm.ReadTime(c.arguments["now"]); isGiven {
		counting.now.Store(now)
	}
	reservation, err := counting.Verify(c.ctx, message)
	if err != nil {
		return verdict("", nil, err)
	}
	return verdict(reservation.KeyID, reservation.Covered, nil)
}

func verifierBegin(c *call) (any, error) {
	message, err := comm.ParseMessage(c.text("messageText"))
	if err != nil {
		return nil, err
	}
	reservation, err := c.on.(*countingVerifier).Begin(c.ctx, message)
	if err != nil {
		return verdict("", nil, err)
	}
	found, err := verdict(reservation.KeyID, reservation.Covered, nil)
	found["handle"] = c.keep(reservation)
	return found, err
}

func verifierResolutions(c *call) (any, error) {
	return object{"count": c.on.(*countingVerifier).resolutions}, nil
}

func reservationCommit(c *call) (any, error) {
	return object{}, c.on.(*comm.Reservation).Commit()
}

func reservationAbort(c *call) (any, error) {
	return object{}, c.on.(*comm.Reservation).Abort()
}

// Resolution

// world is a resolver, its scripted web servers and its clock.
type world struct {
	web   *scriptedWeb
	now   atomic.Int64
	cache *comm.CachedResolver
}

func resolverNew(c *call) (any, error) {
	created := &world{web: newScriptedWeb(c.object("web"))}
	created.now.Store(time.Now().UnixMilli())
	timeout := time.Duration(c.number("timeoutMs", 5000)) * time.Millisecond
	resolver := comm.NewWebResolver(created.web, timeout)
	created.cache = comm.NewCachedResolver(resolver.Resolve, created.now.Load)
	return object{"handle": c.keep(created)}, nil
}

func resolverResolve(c *call) (any, error) {
	resolver := c.on.(*world)
	if now, isGiven := comm.ReadTime(c.arguments["now"]); isGiven {
		resolver.now.Store(now)
	}
	did, resolve := c.text("did"), comm.ResolveOffline
	if strings.HasPrefix(did, "did:web:") {
		resolve = resolver.cache.Resolve
	}
	return waiting(func(ctx context.Context) (any, error) {
		document, err := resolve(ctx, did)
		return under("document", document, err)
	}), nil
}

func resolverRequests(c *call) (any, error) {
	return object{"requests": c.on.(*world).web.recorded()}, nil
}

func resolverRelease(c *call) (any, error) {
	c.on.(*world).web.release()
	return object{}, nil
}

// Negotiation

func negotiate(c *call) (any, error) {
	accept, err := comm.Negotiate(c.arguments["offer"], c.arguments["supported"], c.arguments["responderDid"])
	return under("accept", accept, err)
}

func negotiationAnswer(c *call) (any, error) {
	offer, err := comm.ParseMessage(c.text("messageText"))
	if err != nil {
		return nil, err
	}
	resolve := resolverOf(c.arguments)
	answer, err := comm.AnswerOffer(c.ctx, offer, c.arguments["supported"], c.hex("seedHex"), resolve)
	return under("message", answer, err)
}

func negotiationRead(c *call) (any, error) {
	text := c.text("answerText")
	if answer, isGiven := c.arguments["answer"]; isGiven {
		encoded, err := json.Marshal(answer)
		if err != nil {
			return nil, err
		}
		text = string(encoded)
	}
	offer, err := comm.ParseMessage(c.text("offerText"))
	if err != nil {
		return nil, err
	}
	answer, err := comm.ParseMessage(text)
	if err != nil {
		return nil, err
	}
	accept, err := comm.ReadAnswer(c.ctx, answer, offer, resolverOf(c.arguments))
	return under("accept", accept, err)
}

// Transports

// playedTransport is a transport whose other end is the driver.
type playedTransport struct {
	comm.Transport
	bytes  *byteSide
	socket *socketSide
}

func channelPair(c *call) (any, error) {
	one, other := comm.ChannelPair(int(c.number("capacity", 1000)), c.text("overflow") != "error")
	return object{"handles": []string{c.keep(one), c.keep(other)}}, nil
}

func noopNew(c *call) (any, error) {
	return object{"handle": c.keep(comm.NewNoopTransport())}, nil
}

func transportSend(c *call) (any, error) {
	message, err := comm.NewMessage(c.object("message"))
	if err != nil {
		return nil, err
	}
	sent := c.on.(comm.Transport).Send(message)
	return waiting(func(ctx context.Context) (any, error) {
		_, err := sent.Wait(ctx)
		if err == nil && c.arguments["thenChange"] == true {
			message["payload"].(object)["changed"] = true
		}
		return object{}, err
	}), nil
}

func transportReceive(c *call) (any, error) {
	received := c.on.(comm.Transport).Receive()
	return waiting(func(ctx context.Context) (any, error) {
		message, err := comm.ReceiveMessage(ctx, received)
		if message == nil {
			return under("message", nil, err)
		}
		return under("message", message, err)
	}), nil
}

func transportClose(c *call) (any, error) {
	return waiting(func(context.Context) (any, error) {
		c.on.(comm.Transport).Close()
		return object{}, nil
	}), nil
}

func streamNew(c *call) (any, error) {
	side := &byteSide{}
	return object{"handle": c.keep(&playedTransport{Transport: comm.StreamTransport(side, side), bytes: side})}, nil
}

func streamFeed(c *call) (any, error) {
	c.on.(*playedTransport).bytes.feed(c.arguments)
	return object{}, nil
}

func streamWritten(c *call) (any, error) {
	side, lines := c.on.(*playedTransport).bytes, int(c.number("lines", 0))
	return waiting(func(ctx context.Context) (any, error) {
		text, err := side.writtenText(ctx, lines)
		parts := strings.Split(text, "\n")
		last := len(parts) - 1
		return object{"lines": parts[:last], "rest": parts[last]}, err
	}), nil
}

func websocketNew(c *call) (any, error) {
	side := &socketSide{}
	return object{"handle": c.keep(&playedTransport{Transport: comm.SocketTransport(side), socket: side})}, nil
}

func websocketFeed(c *call) (any, error) {
	c.on.(*playedTransport).socket.feed(c.arguments)
	return object{}, nil
}

func websocketSent(c *call) (any, error) {
	side, count := c.on.(*playedTransport).socket, int(c.number("frames", 0))
	return waiting(func(ctx context.Context) (any, error) {
		sent, err := side.sentFrames(ctx, count)
		return under("frames", sent, err)
	}), nil
}
