package peyk

import (
	"encoding/json"
	"errors"
	"time"
)

// Codes of errors that no response of Peyk has.
const (
	// CodeTimeout: no complete response arrived in time.
	CodeTimeout = "timeout"
	// CodeConnectionFailed: no complete response arrived.
	CodeConnectionFailed = "connection_failed"
	// CodeInvalidResponse: something other than Peyk responded. Redirects are not followed.
	CodeInvalidResponse = "invalid_response"
)

// Error of a call that failed.
type Error struct {
	// One of the constants Code…
	Code    string
	Message string
	// The HTTP status; 0 if there was no response.
	Status  int
	Details json.RawMessage
	// Finds the request in the logs of the service; empty if there was no response.
	RequestID string
	// How long to wait before the next try; 0 if the service did not say.
	RetryAfter time.Duration
	cause      error
}

func (e *Error) Error() string { return e.Code + ": " + e.Message }

// Unwrap returns what made the connection fail.
func (e *Error) Unwrap() error { return e.cause }

// IsCode reports whether an error is of a call that failed with this code.
func IsCode(err error, code string) bool {
	var failure *Error
	return errors.As(err, &failure) && failure.Code == code
}

// ArgumentError is an argument that cannot be sent. Its message never has the value, which may be a secret.
type ArgumentError struct{ Message string }

func (e *ArgumentError) Error() string { return e.Message }

// WebhookError: the request did not come from Peyk, was changed, or is too old. Respond with 400.
type WebhookError struct{ Message string }

func (e *WebhookError) Error() string { return e.Message }
