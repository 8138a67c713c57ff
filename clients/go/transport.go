package peyk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

const (
	defaultTimeout = 20 * time.Second
	defaultRetries = 2
	firstDelay     = 250 * time.Millisecond
	longestDelay   = 10 * time.Second
	// No response of Peyk is nearly as long.
	maxResponseBytes = 64 << 20
)

// What a failed call leaves open: only what is safe is repeated.
var uncertain = map[string]bool{
	CodeConnectionFailed:         true,
	CodeTimeout:                  true,
	CodeInternalError:            true,
	CodeServiceUnavailable:       true,
	CodeRequestTimeout:           true,
	CodeIdempotencyKeyInProgress: true,
}

type call struct {
	method, path   string
	query          map[string]any
	body           any
	usesToken      bool
	isSafe         bool
	isIdempotent   bool
	mayBeEmpty     bool
	idempotencyKey *string
	ifMatch        *int64
	requestID      string
}

type transport struct {
	base, apiKey, token string
	timeout             time.Duration
	retries             int
	client              *http.Client
}

func newTransport(baseURL string, options Options) (*transport, error) {
	base, err := baseURLOf(baseURL)
	if err != nil {
		return nil, err
	}
	apiKey, err := credentialOf("apiKey", options.APIKey)
	if err != nil {
		return nil, err
	}
	token, err := credentialOf("token", options.Token)
	if err != nil {
		return nil, err
	}
	t := &transport{base, apiKey, token, options.Timeout, options.Retries, nil}
	if t.timeout < 0 {
		return nil, &ArgumentError{"timeout must be a number of seconds above 0."}
	}
	if t.timeout == 0 {
		t.timeout = defaultTimeout
	}
	if t.retries == 0 {
		t.retries = defaultRetries
	}
	rounds := options.Transport
	if rounds == nil {
		rounds = http.DefaultTransport.(*http.Transport).Clone()
	}
	// Not followed: the key would go elsewhere.
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	t.client = &http.Client{Transport: rounds, CheckRedirect: stay}
	return t, nil
}

func (t *transport) headersOf(c call) (http.Header, error) {
	headers := http.Header{"Accept": {"application/json"}, "User-Agent": {"peyk-go/" + Version}}
	if c.body != nil {
		headers.Set("Content-Type", "application/json")
	}
	if c.usesToken && t.token != "" {
		headers.Set("Authorization", "Bearer "+t.token)
	}
	if !c.usesToken && t.apiKey != "" {
		headers.Set("X-API-Key", t.apiKey)
	}
	if c.isIdempotent {
		key, err := idempotencyKeyOf(c.idempotencyKey)
		if err != nil {
			return nil, err
		}
		headers.Set("Idempotency-Key", key)
	}
	if c.ifMatch != nil {
		etag, err := etagOf(*c.ifMatch)
		if err != nil {
			return nil, err
		}
		headers.Set("If-Match", etag)
	}
	if c.requestID != "" {
		headers.Set("X-Request-Id", c.requestID)
	}
	return headers, nil
}

// Sends a call, repeats it where that is safe, and reads its result.
func send[T any](ctx context.Context, t *transport, c call, options []Option) (*T, error) {
	text, err := t.send(ctx, c, options)
	if err != nil {
		return nil, err
	}
	result := new(T)
	if err := json.Unmarshal(text, result); err != nil {
		return nil, &Error{Code: CodeInvalidResponse, Status: 200, Message: "The response is not one of Peyk's.", cause: err}
	}
	return result, nil
}

func (t *transport) send(ctx context.Context, c call, options []Option) ([]byte, error) {
	for _, option := range options {
		option(&c)
	}
	headers, err := t.headersOf(c)
	if err != nil {
		return nil, err
	}
	var body []byte
	if c.body != nil {
		if body, err = jsonOf(c.body); err != nil {
			return nil, err
		}
	}
	address := t.base + c.path + queryText(c.query)
	// A repeat with the version before the change is refused.
	isSafe := c.isIdempotent || c.method == "GET" || (c.isSafe && c.ifMatch == nil)
	for tries := 0; ; tries++ {
		text, failure := t.tryOnce(ctx, c, address, headers, body)
		if failure == nil {
			return text, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if tries >= t.retries || !mayRetry(failure, isSafe) {
			return nil, failure
		}
		if err := pause(ctx, delayBefore(tries, failure)); err != nil {
			return nil, err
		}
	}
}

func (t *transport) tryOnce(
	ctx context.Context, c call, address string, headers http.Header, body []byte,
) ([]byte, *Error) {
	ctx, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(body)
	}
	request, err := http.NewRequestWithContext(ctx, c.method, address, reader)
	if err != nil {
		return nil, t.failureOf(err)
	}
	request.Header = headers.Clone()
	response, err := t.client.Do(request)
	if err != nil {
		return nil, t.failureOf(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxResponseBytes))
	if err != nil {
		return nil, t.failureOf(err)
	}
	if response.StatusCode == 204 && c.mayBeEmpty {
		return nil, nil
	}
	isObject := json.Valid(text) && bytes.HasPrefix(bytes.TrimSpace(text), []byte("{"))
	if response.StatusCode >= 200 && response.StatusCode < 300 && isObject {
		return text, nil
	}
	return nil, errorOf(response, text)
}

func (t *transport) failureOf(err error) *Error {
	if errors.Is(err, context.DeadlineExceeded) {
		return &Error{Code: CodeTimeout, Message: fmt.Sprintf("No response within %s.", t.timeout), cause: err}
	}
	return &Error{Code: CodeConnectionFailed, Message: "The connection failed: " + err.Error(), cause: err}
}

var wholeSeconds = regexp.MustCompile(`^[0-9]{1,9}$`)

func retryAfterOf(header string) time.Duration {
	if !wholeSeconds.MatchString(header) {
		return 0
	}
	seconds, _ := strconv.Atoi(header)
	return time.Duration(seconds) * time.Second
}

func errorOf(response *http.Response, text []byte) *Error {
	retryAfter := retryAfterOf(response.Header.Get("Retry-After"))
	var envelope struct {
		Error *struct {
			Code, Message *string
			Details       json.RawMessage
		}
		RequestID *string `json:"request_id"`
	}
	err := json.Unmarshal(text, &envelope)
	given := envelope.Error
	if err != nil || response.StatusCode < 400 || given == nil || given.Code == nil || given.Message == nil ||
		!bytes.HasPrefix(given.Details, []byte("{")) || envelope.RequestID == nil {
		return &Error{
			Code:       CodeInvalidResponse,
			Status:     response.StatusCode,
			Message:    fmt.Sprintf("The response with status %d is not one of Peyk's.", response.StatusCode),
			Details:    json.RawMessage("{}"),
			RequestID:  response.Header.Get("X-Request-Id"),
			RetryAfter: retryAfter,
		}
	}
	return &Error{*given.Code, *given.Message, response.StatusCode, given.Details, *envelope.RequestID, retryAfter, nil}
}

// Limits (429) are for the caller to decide: waiting may take hours.
func mayRetry(failure *Error, isSafe bool) bool {
	if !isSafe || failure.RetryAfter > longestDelay {
		return false
	}
	if failure.Code == CodeInvalidResponse {
		return failure.Status >= 500
	}
	return uncertain[failure.Code]
}

// What the service asked for, else doubling, with jitter.
func delayBefore(tries int, failure *Error) time.Duration {
	delay := longestDelay
	if tries < 6 && firstDelay<<tries < longestDelay {
		delay = firstDelay << tries
	}
	delay = time.Duration(float64(delay) * (0.5 + rand.Float64()/2))
	if failure.RetryAfter > delay {
		return failure.RetryAfter
	}
	return delay
}

func pause(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
