// Package peyk sends one-time codes and messages to Iranian phones with Peyk. Fields have the names of the API, in the
// style of Go.
package peyk

import (
	"context"
	"net/http"
	"time"
)

// Version of this client, which is that of Peyk.
const Version = "0.1.0"

// Options of a client.
type Options struct {
	// A service key: svc_live_…, or svc_test_… for Sandbox and SandboxMessages.
	APIKey string
	// A personal access token, svc_pat_…, for Manage.
	Token string
	// The time for each try; 20 seconds by default.
	Timeout time.Duration
	// How often a call that is safe to repeat is repeated: 2 by default; a negative number turns it off.
	Retries int
	// Instead of a transport of its own, for a proxy or for tests.
	Transport http.RoundTripper
}

// Client of one Peyk. It can be used by many goroutines.
type Client struct {
	OTP      *LiveCodes
	Messages *Messages
	// With a test key: nothing is sent, and the code is 123456.
	Sandbox         *Codes
	SandboxMessages *Messages
	Phones          *Phones
	Manage          *Manage
	transport       *transport
}

// New makes a client. It fails if an argument cannot be used.
func New(baseURL string, options Options) (*Client, error) {
	t, err := newTransport(baseURL, options)
	if err != nil {
		return nil, err
	}
	return &Client{
		OTP:             &LiveCodes{Codes{t, "/v1/otp"}},
		Messages:        &Messages{t, "/v1/messages"},
		Sandbox:         &Codes{t, "/v1/sandbox/otp"},
		SandboxMessages: &Messages{t, "/v1/sandbox/messages"},
		Phones:          &Phones{t},
		Manage:          &Manage{t},
		transport:       t,
	}, nil
}

// Account returns the customer's plan, limits, prices, quota and wallet.
func (c *Client) Account(ctx context.Context) (*AccountSummary, error) {
	return send[AccountSummary](ctx, c.transport, call{method: "GET", path: "/v1/account"}, nil)
}

// Option of one call.
type Option func(*call)

// IdempotencyKey sets your own key for a send. Without it, the client makes one for each call.
func IdempotencyKey(key string) Option {
	return func(c *call) { c.idempotencyKey = &key }
}

// IfMatch makes a change only if the resource still has this version.
func IfMatch(version int64) Option {
	return func(c *call) { c.ifMatch = &version }
}

// RequestID is your id for this request, in the logs and errors of the service.
func RequestID(id string) Option {
	return func(c *call) { c.requestID = id }
}

// Phones is what you know of a phone.
type Phones struct{ transport *transport }

// Lookup returns what your own records have of a phone. The phone is not in the path of the request.
func (p *Phones) Lookup(ctx context.Context, phone string, options ...Option) (*PhoneLookup, error) {
	body := PhoneLookupRequest{Phone: phone}
	c := call{method: "POST", path: "/v1/phones/lookup", body: body, isSafe: true}
	return send[PhoneLookup](ctx, p.transport, c, options)
}
