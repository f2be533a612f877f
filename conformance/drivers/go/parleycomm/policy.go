package parleycomm

import (
	"context"
	"errors"
	"slices"
	"sync"
)

var levels = []string{"none", "signature", "proof", "reject"}

// ReplayStore tracks messages by sender and id.
type ReplayStore interface {
	// Begin returns true and tracks the message if it is new, or false if it is tracked already.
	Begin(sender, id string, now int64) (bool, error)
	// Commit marks the message as processed.
	Commit(sender, id string) error
	// Abort removes the message if it is not committed, so that it can be delivered again.
	Abort(sender, id string) error
}

type replayKey struct{ sender, id string }

type replayEntry struct {
	key   replayKey
	endMs int64
}

// MemoryReplayStore tracks messages for ten minutes, with limited capacity. It
// can be used concurrently.
type MemoryReplayStore struct {
	mutex        sync.Mutex
	maxEntries   int
	maxPerSender int
	ends         map[replayKey]int64
	// Entries in the order of their ends, including removed entries.
	order     []replayEntry
	committed map[replayKey]bool
	counts    map[string]int
}

const replayTTLMs = 600_000

// NewMemoryReplayStore creates a store with a capacity, of which one sender
// can use a share.
func NewMemoryReplayStore(maxEntries int, maxSharePerSender float64) *MemoryReplayStore {
	return &MemoryReplayStore{
		maxEntries:   maxEntries,
		maxPerSender: max(1, int(float64(maxEntries)*maxSharePerSender)),
		ends:         map[replayKey]int64{},
		committed:    map[replayKey]bool{},
		counts:       map[string]int{},
	}
}

// Begin returns an error if there is no capacity for the message.
func (s *MemoryReplayStore) Begin(sender, id string, now int64) (bool, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for len(s.order) > 0 && s.order[0].endMs <= now {
		if first := s.order[0]; s.ends[first.key] == first.endMs {
			s.remove(first.key)
		}
		s.order = s.order[1:]
	}
	key := replayKey{sender, id}
	if _, isTracked := s.ends[key]; isTracked {
		return false, nil
	}
	if len(s.ends) >= s.maxEntries || s.counts[sender] >= s.maxPerSender {
		return false, fail("replay_guard_full", "%s", id)
	}
	s.ends[key] = now + replayTTLMs
	s.order = append(s.order, replayEntry{key, now + replayTTLMs})
	s.counts[sender]++
	return true, nil
}

// Commit marks the message as processed.
func (s *MemoryReplayStore) Commit(sender, id string) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.committed[replayKey{sender, id}] = true
	return nil
}

// Abort removes the message if it is not committed.
func (s *MemoryReplayStore) Abort(sender, id string) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	key := replayKey{sender, id}
	if _, isTracked := s.ends[key]; isTracked && !s.committed[key] {
		s.remove(key)
	}
	return nil
}

func (s *MemoryReplayStore) remove(key replayKey) {
	delete(s.ends, key)
	delete(s.committed, key)
	s.counts[key.sender]--
	if s.counts[key.sender] == 0 {
		delete(s.counts, key.sender)
	}
}

// Reservation is a verified message that is not processed yet. The first
// successful call to Commit or Abort ends the reservation: later calls do not
// reach the store, in which another consumer may have reserved the message. A
// call that fails with replay_store_failed can be repeated. A Reservation must
// not be used concurrently.
type Reservation struct {
	// KeyID is empty if no key is required.
	KeyID   string
	Covered []string
	key     replayKey
	store   ReplayStore
}

// Commit ends the reservation after the message was processed.
func (r *Reservation) Commit() error { return r.settle(ReplayStore.Commit) }

// Abort ends the reservation after a failure. The message can be delivered
// again.
func (r *Reservation) Abort() error { return r.settle(ReplayStore.Abort) }

func (r *Reservation) settle(method func(ReplayStore, string, string) error) error {
	if r.store == nil {
		return nil
	}
	if err := method(r.store, r.key.sender, r.key.id); err != nil {
		return fail("replay_store_failed", "%s: %v", r.key.id, err)
	}
	r.store = nil
	return nil
}

// Policy determines which messages a Verifier accepts.
type Policy struct {
	Require     string
	Senders     map[string]string
	Protocols   map[string]string
	MaxAgeMs    int64
	ClockSkewMs int64
	// IsReplyToUntrusted disables the check that replyTo equals correlationId.
	IsReplyToUntrusted bool
}

// Verifier verifies messages according to a policy.
type Verifier struct {
	Recipient string
	// Clock returns milliseconds since 1970.
	Clock   func() int64
	Resolve Resolve
	Policy  Policy
	// Store is optional.
	Store ReplayStore
}

// Verify returns the reservation of a valid message, after it is committed.
func (v *Verifier) Verify(ctx context.Context, message Message) (*Reservation, error) {
	reservation, err := v.Begin(ctx, message)
	if err != nil {
		return nil, err
	}
	if err := reservation.Commit(); err != nil {
		// If the store cannot abort either, the id stays reserved until the store releases it.
		_ = reservation.Abort()
		return nil, err
	}
	return reservation, nil
}

// Begin verifies a message and returns its reservation, which must be
// committed or aborted.
func (v *Verifier) Begin(ctx context.Context, message Message) (*Reservation, error) {
	level, err := v.level(message)
	if err != nil {
		return nil, err
	}
	if err := checkRecipient(message, v.Recipient); err != nil {
		return nil, err
	}
	if level == "none" {
		return &Reservation{Covered: []string{}}, nil
	}
	if err := v.checkAge(message, level); err != nil {
		return nil, err
	}
	if level == "signature" && !v.Policy.IsReplyToUntrusted {
		if err := checkReply(message); err != nil {
			return nil, err
		}
	}
	// Only now is the sender's DID resolved: forged messages must not cause requests.
	keyID, covered, err := v.verifyAt(ctx, level, message)
	if err != nil {
		return nil, err
	}
	key := replayKey{textOf(message, "sender"), textOf(message, "id")}
	if err := v.track(key); err != nil {
		return nil, err
	}
	return &Reservation{keyID, covered, key, v.Store}, nil
}

// track rejects the message unless the store reports that it is new.
func (v *Verifier) track(key replayKey) error {
	if v.Store == nil {
		return nil
	}
	isNew, err := v.Store.Begin(key.sender, key.id, v.Clock())
	var known *Error
	switch {
	case errors.As(err, &known):
		return err
	case err != nil:
		return fail("replay_store_failed", "%s: %v", key.id, err)
	case !isNew:
		return fail("replay_detected", "%s", key.id)
	}
	return nil
}

// level returns the required level: the stricter of the sender's and the
// protocol's.
func (v *Verifier) level(message Message) (string, error) {
	ofSender, isSenderKnown := v.Policy.Senders[textOf(message, "sender")]
	ofProtocol, isProtocolKnown := v.Policy.Protocols[textOf(message, "protocol")]
	if v.Policy.Require == "reject" && !isSenderKnown {
		ofSender, isSenderKnown = "reject", true
	}
	level := v.Policy.Require
	switch {
	case isSenderKnown && isProtocolKnown:
		level = levels[max(slices.Index(levels, ofSender), slices.Index(levels, ofProtocol))]
	case isSenderKnown:
		level = ofSender
	case isProtocolKnown:
		level = ofProtocol
	}
	if level == "reject" {
		return "", fail("sender_refused", "%v", message["sender"])
	}
	return level, nil
}

func (v *Verifier) verifyAt(ctx context.Context, level string, message Message) (string, []string, error) {
	if level == "proof" {
		expected := ProofExpectations{
			Recipient: v.Recipient, Now: v.Clock(), ClockSkewMs: v.Policy.ClockSkewMs,
		}
		keyID, err := VerifyProof(ctx, message, v.Resolve, expected)
		return keyID, CoveredByProof(message), err
	}
	keyID, err := VerifyMessage(ctx, message, v.Resolve, v.Recipient, v.Clock())
	return keyID, Signed, err
}

// checkAge checks the authenticated time: with a proof the timestamp,
// otherwise the time in the id.
func (v *Verifier) checkAge(message Message, level string) error {
	timestamp, _ := ReadTime(message["timestamp"])
	proven, isProven := uuidTime(textOf(message, "id"))
	if level == "proof" {
		proven, isProven = timestamp, true
	}
	if !isProven {
		return fail("age_unproven", "%v", message["id"])
	}
	if max(proven-timestamp, timestamp-proven) > 1000 {
		return fail("timestamp_mismatch", "%v", message["timestamp"])
	}
	now := v.Clock()
	if proven > now+v.Policy.ClockSkewMs {
		return fail("not_yet_valid", "%v", message["id"])
	}
	if proven+v.Policy.MaxAgeMs < now {
		return fail("expired", "%v", message["id"])
	}
	return nil
}

// checkReply checks that replyTo equals correlationId, because a signature
// does not cover replyTo.
func checkReply(message Message) error {
	if has(message, "replyTo") && message["replyTo"] != message["correlationId"] {
		return fail("reply_mismatch", "%v", message["replyTo"])
	}
	return nil
}
