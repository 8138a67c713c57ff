// What the tests run of the Go client: single calls (CALLS), changes that may have been made (CHANGES), or a backend's day.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"strconv"
	"time"

	"peyk.internal/peyk"
)

var ctx = context.Background()

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func clientAt(url, apiKey, token string, seconds float64) (*peyk.Client, error) {
	retries := must(strconv.Atoi(os.Getenv("RETRIES")))
	if retries == 0 {
		retries = -1
	}
	timeout := time.Duration(seconds * float64(time.Second))
	return peyk.New(url, peyk.Options{APIKey: apiKey, Token: token, Timeout: timeout, Retries: retries})
}

func headersIn(text string) http.Header {
	given := map[string]string{}
	if err := json.Unmarshal([]byte(text), &given); err != nil {
		panic(err)
	}
	headers := http.Header{}
	for name, value := range given {
		headers.Set(name, value)
	}
	return headers
}

// What a call returned, as JSON; of a code, only its status.
func resultOf(call []any) (any, error) {
	text := func(at int) string {
		given, _ := call[at].(string)
		return given
	}
	url, apiKey, token := os.Getenv("PEYK_URL"), "svc_live_key", "svc_pat_token"
	seconds := must(strconv.ParseFloat(os.Getenv("TIMEOUT"), 64))
	switch text(0) {
	case "at":
		url = text(1)
	case "revokeWith":
		apiKey, token = text(1), text(2)
	case "withTimeout":
		seconds = call[1].(float64)
	}
	client, err := clientAt(url, apiKey, token, seconds)
	if err != nil {
		return nil, err
	}
	switch text(0) {
	case "send":
		codes := &client.OTP.Codes
		if text(1) == "sandbox" {
			codes = client.Sandbox
		}
		var options []peyk.Option
		if key, ok := call[2].(string); ok {
			options = append(options, peyk.IdempotencyKey(key))
		}
		sent, err := codes.Send(ctx, peyk.OtpSendRequest{Phone: "09121234567"}, options...)
		if err != nil {
			return nil, err
		}
		return map[string]string{"status": sent.Status}, nil
	case "status":
		_, err := client.OTP.Status(ctx, text(1))
		return nil, err
	case "next":
		request := peyk.OtpNextRequest{}
		if err := json.Unmarshal([]byte(text(2)), &request); err != nil {
			return nil, err
		}
		_, err := client.OTP.Next(ctx, text(1), request)
		return nil, err
	case "preview":
		_, err := client.OTP.Preview(ctx, peyk.OtpSendRequest{Phone: text(1), Channels: text(2)})
		return nil, err
	case "lookup":
		_, err := client.Phones.Lookup(ctx, text(1))
		return nil, err
	case "update":
		version := peyk.IfMatch(int64(call[1].(float64)))
		return nil, client.Manage.Call(ctx, "api-keys.update", peyk.Fields{"id": 7, "name": "a"}, nil, version)
	case "revoke":
		fields := peyk.Fields{}
		if call[1] != nil {
			fields["id"] = text(1)
		}
		return nil, client.Manage.Call(ctx, "api-keys.revoke", fields, nil)
	case "revokeWith":
		return nil, client.Manage.Call(ctx, "api-keys.revoke", peyk.Fields{"id": 7}, nil)
	case "manage":
		fields := peyk.Fields{}
		if err := json.Unmarshal([]byte(text(2)), &fields); err != nil {
			return nil, err
		}
		var options []peyk.Option
		if version, ok := fields["if_match"].(float64); ok {
			delete(fields, "if_match")
			options = append(options, peyk.IfMatch(int64(version)))
		}
		return nil, client.Manage.Call(ctx, text(1), fields, nil, options...)
	case "connectWithNaN":
		fields := peyk.Fields{"settings": map[string]any{"a": math.NaN()}}
		return nil, client.Manage.Call(ctx, "accounts.connect", fields, nil)
	case "webhook":
		return peyk.VerifyWebhook([]byte(os.Getenv("PAYLOAD")), headersIn(os.Getenv("HEADERS")), text(1))
	default:
		_, err := client.Account(ctx)
		return nil, err
	}
}

func makeCalls() {
	var calls []string
	if err := json.Unmarshal([]byte(os.Getenv("CALLS")), &calls); err != nil {
		panic(err)
	}
	for _, text := range calls {
		var call []any
		if err := json.Unmarshal([]byte(text), &call); err != nil {
			panic(err)
		}
		result, err := resultOf(call)
		var failure *peyk.Error
		var argument *peyk.ArgumentError
		switch {
		case errors.As(err, &failure):
			fmt.Println(failure.Code, failure.Status)
		case errors.As(err, &argument):
			fmt.Println("refused:", argument.Message)
		case err != nil:
			fmt.Printf("%T\n", err)
		default:
			fmt.Println(string(must(json.Marshal(result))))
		}
	}
}

func codeOf(url, phone string) string {
	response := must(http.Get(url + "/simulator/messages?phone=%2B98" + phone[1:]))
	var shown struct{ Data []struct{ Code string } }
	if err := json.Unmarshal(must(io.ReadAll(response.Body)), &shown); err != nil {
		panic(err)
	}
	for _, each := range shown.Data {
		if each.Code != "" {
			return each.Code
		}
	}
	return ""
}

func doWhatABackendNeeds() {
	url, phone := os.Getenv("PEYK_URL"), os.Getenv("PHONE")
	live := must(peyk.New(url, peyk.Options{APIKey: os.Getenv("LIVE_KEY"), Token: os.Getenv("TOKEN")}))
	sent := must(live.OTP.Send(ctx, peyk.OtpSendRequest{Phone: phone, Channels: []string{"bale", "sms"}}))
	fmt.Println(must(live.OTP.Verify(ctx, sent.VerificationID, codeOf(url, phone))).Reason)
	fmt.Println(must(live.OTP.Status(ctx, sent.VerificationID)).Status)
	test := must(peyk.New(url, peyk.Options{APIKey: os.Getenv("TEST_KEY")}))
	fmt.Println(must(test.Sandbox.Send(ctx, peyk.OtpSendRequest{Phone: phone})).Status)
	message := must(live.Messages.Send(ctx, peyk.MessageSendRequest{
		To: phone, Message: "سلام", Channels: []string{"bale"}, Metadata: map[string]any{"order": "7"},
	}))
	listed := live.Messages.All(peyk.MessageListQuery{To: phone, Limit: 1, Metadata: map[string]any{"order": "7"}})
	for listed.Next(ctx) {
		if listed.Item().MessageID == message.MessageID {
			fmt.Println("[True]")
		}
	}
	var key struct {
		ID, Version int64
		Name        string
	}
	created := live.Manage.Call(ctx, "api-keys.create", peyk.Fields{"name": "made by Go", "mode": "live"}, &key)
	changes := peyk.Fields{"id": key.ID, "name": "renamed"}
	changed := live.Manage.Call(ctx, "api-keys.update", changes, nil, peyk.IfMatch(key.Version))
	read := live.Manage.Call(ctx, "api-keys.read", peyk.Fields{"id": key.ID}, &key)
	revoked := live.Manage.Call(ctx, "api-keys.revoke", peyk.Fields{"id": key.ID}, nil)
	if created != nil || changed != nil || read != nil || revoked != nil || listed.Err() != nil {
		panic(fmt.Sprint(created, changed, read, revoked, listed.Err()))
	}
	fmt.Println(key.Name, "None")
	var failure *peyk.Error
	_, err := live.OTP.Send(ctx, peyk.OtpSendRequest{Phone: "1"})
	if errors.As(err, &failure) {
		isKnown := failure.RequestID != ""
		fmt.Println(failure.Code, failure.Status, map[bool]string{true: "True", false: "False"}[isKnown])
	}
	_, err = must(peyk.New("http://127.0.0.1:9", peyk.Options{Retries: -1})).OTP.Status(ctx, "v")
	if peyk.IsCode(err, peyk.CodeConnectionFailed) {
		fmt.Println(peyk.CodeConnectionFailed)
	}
	printWebhook()
	headers := headersIn(os.Getenv("HEADERS"))
	_, err = peyk.VerifyWebhook([]byte(os.Getenv("PAYLOAD")+" "), headers, os.Getenv("SECRET"))
	var refused *peyk.WebhookError
	if errors.As(err, &refused) {
		fmt.Println("refused")
	}
}

func printWebhook() {
	headers := headersIn(os.Getenv("HEADERS"))
	fmt.Println(must(peyk.VerifyWebhook([]byte(os.Getenv("PAYLOAD")), headers, os.Getenv("SECRET"))).Type)
}

func main() {
	switch os.Getenv("PROGRAM") {
	case "backend":
		doWhatABackendNeeds()
	case "webhook":
		printWebhook()
	default:
		makeCalls()
	}
}
