package peyk

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const webhookTolerance = 300 * time.Second

// Event as Peyk posts it to your endpoint.
type Event struct {
	Type      string          `json:"type"`
	Timestamp string          `json:"timestamp"`
	Mode      string          `json:"mode"`
	Data      json.RawMessage `json:"data"`
}

func webhookKey(secret string) ([]byte, error) {
	text := strings.TrimRight(strings.TrimSpace(strings.TrimPrefix(secret, "whsec_")), "=")
	key, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil || len(key) == 0 {
		return nil, &ArgumentError{"The secret is not the whsec_… of a webhook."}
	}
	return key, nil
}

// VerifyWebhook returns the event of a request whose signature is right and that is less than five minutes old. The
// body is its bytes exactly as they arrived. Keep webhook-id for a while: the same event can arrive more than once.
func VerifyWebhook(body []byte, headers http.Header, secret string) (*Event, error) {
	key, err := webhookKey(secret)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
		if headers.Get(name) == "" {
			return nil, &WebhookError{"There is no " + name + " header."}
		}
	}
	timestamp := headers.Get("webhook-timestamp")
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(headers.Get("webhook-id") + "." + timestamp + "."))
	mac.Write(body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	isSigned := false
	for _, given := range strings.Split(headers.Get("webhook-signature"), " ") {
		isSigned = hmac.Equal(expected, []byte(given)) || isSigned
	}
	if !isSigned {
		return nil, &WebhookError{"The signature is not Peyk's."}
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	age := time.Since(time.Unix(seconds, 0))
	if err != nil || age > webhookTolerance || age < -webhookTolerance {
		return nil, &WebhookError{"The request is too old, or from the future."}
	}
	event := new(Event)
	if err := json.Unmarshal(bytes.TrimPrefix(body, []byte("\ufeff")), event); err != nil {
		return nil, &WebhookError{"The body is no event."}
	}
	return event, nil
}
