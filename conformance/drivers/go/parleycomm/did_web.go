package parleycomm

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	label            = `[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?`
	maxDocumentBytes = 65_536
	cacheTTLMs       = 300_000
	maxCached        = 1000
)

var (
	// Top-level domains are alphabetic or internationalized, unlike the IP addresses 1.2.3.4 and 0x7f.1.
	hostForm    = regexp.MustCompile(`^(?:` + label + `\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{0,58}[a-z0-9])$`)
	segmentForm = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)
	localNames  = strings.Fields("alt arpa consul corp default example home internal intranet invalid lan " +
		"local localdomain localhost mail onion private svc test")
	documentTypes = []string{"application/did+json", "application/did+ld+json", "application/json"}
)

// WebURL returns the URL of a did:web document.
func WebURL(did string) (string, error) {
	rest, isWeb := strings.CutPrefix(did, "did:web:")
	parts := strings.Split(rest, ":")
	if !isDID(did) || !isWeb || !isPublicHost(parts[0]) {
		return "", fail("did_invalid", "%.100s", did)
	}
	for _, segment := range parts[1:] {
		if !segmentForm.MatchString(segment) || segment == "." || segment == ".." {
			return "", fail("did_invalid", "%.100s", did)
		}
	}
	if len(parts) == 1 {
		parts = append(parts, ".well-known")
	}
	return "https://" + strings.Join(parts, "/") + "/did.json", nil
}

func isPublicHost(host string) bool {
	if len(host) > 253 || !hostForm.MatchString(host) {
		return false
	}
	return !slices.ContainsFunc(localNames, func(name string) bool {
		return host == name || strings.HasSuffix(host, "."+name)
	})
}

// WebResolver fetches the documents of did:web. It does not follow redirects.
type WebResolver struct {
	client  http.Client
	timeout time.Duration
}

// NewWebResolver creates a resolver that sends its requests to a transport.
func NewWebResolver(transport http.RoundTripper, timeout time.Duration) *WebResolver {
	noRedirect := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &WebResolver{http.Client{Transport: transport, CheckRedirect: noRedirect}, timeout}
}

// Resolve fetches the document for a did:web.
func (r *WebResolver) Resolve(ctx context.Context, did string) (any, error) {
	url, err := WebURL(did)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	body, err := r.fetch(ctx, url)
	if err != nil {
		return nil, fail("did_resolution_failed", "%v", err)
	}
	value, err := ParseJSON(body)
	if err != nil {
		return nil, fail("did_resolution_failed", "%v", err)
	}
	document, _ := value.(map[string]any)
	if document["id"] != did {
		return nil, fail("did_resolution_failed", "document is for a different DID")
	}
	return document, nil
}

func (r *WebResolver) fetch(ctx context.Context, url string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	response, err := r.client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	kind, _, _ := strings.Cut(response.Header.Get("Content-Type"), ";")
	if response.StatusCode != 200 || !slices.Contains(documentTypes, strings.ToLower(strings.TrimSpace(kind))) {
		return "", fail("did_resolution_failed", "response has status %d", response.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxDocumentBytes+1))
	if len(body) > maxDocumentBytes {
		return "", fail("did_resolution_failed", "more than %d bytes", maxDocumentBytes)
	}
	return string(body), err
}

// CachedResolver caches documents for a limited time. Concurrent requests for
// a DID share one resolution.
type CachedResolver struct {
	resolve Resolve
	clock   func() int64
	mutex   sync.Mutex
	cached  map[string]cachedDocument
	order   []string
	running map[string]*resolution
}

type cachedDocument struct {
	document any
	untilMs  int64
}

type resolution struct {
	done     chan struct{}
	document any
	err      error
}

// NewCachedResolver creates a cache in front of a resolver. clock returns
// milliseconds since 1970.
func NewCachedResolver(resolve Resolve, clock func() int64) *CachedResolver {
	return &CachedResolver{
		resolve: resolve,
		clock:   clock,
		cached:  map[string]cachedDocument{},
		running: map[string]*resolution{},
	}
}

// Resolve returns the document for a DID.
func (c *CachedResolver) Resolve(ctx context.Context, did string) (any, error) {
	c.mutex.Lock()
	if entry, isCached := c.cached[did]; isCached && entry.untilMs > c.clock() {
		c.mutex.Unlock()
		return entry.document, nil
	}
	running, isRunning := c.running[did]
	if !isRunning {
		running = &resolution{done: make(chan struct{})}
		c.running[did] = running
		// Cancelling one caller must not cancel the resolution for the others.
		go c.load(context.WithoutCancel(ctx), did, running)
	}
	c.mutex.Unlock()
	select {
	case <-running.done:
		return running.document, running.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *CachedResolver) load(ctx context.Context, did string, running *resolution) {
	running.document, running.err = c.resolve(ctx, did)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	delete(c.running, did)
	if running.err == nil {
		c.store(did, running.document)
	}
	close(running.done)
}

func (c *CachedResolver) store(did string, document any) {
	c.order = append(slices.DeleteFunc(c.order, func(each string) bool { return each == did }), did)
	if len(c.order) > maxCached {
		delete(c.cached, c.order[0])
		c.order = c.order[1:]
	}
	c.cached[did] = cachedDocument{document, c.clock() + cacheTTLMs}
}
