// Code generated from openapi.json by npm run generate; DO NOT EDIT.

package peyk

// Codes of the API's errors.
const (
	CodeBlockedPhone               = "blocked_phone"
	CodeChannelAccountMismatch     = "channel_account_mismatch"
	CodeChannelAccountNotFound     = "channel_account_not_found"
	CodeChannelAmbiguous           = "channel_ambiguous"
	CodeChannelUnavailable         = "channel_unavailable"
	CodeChannelsRequired           = "channels_required"
	CodeConflict                   = "conflict"
	CodeDuplicateChannel           = "duplicate_channel"
	CodeFallbackOrderRequired      = "fallback_order_required"
	CodeIdempotencyKeyConflict     = "idempotency_key_conflict"
	CodeIdempotencyKeyInProgress   = "idempotency_key_in_progress"
	CodeIdempotencyKeyTooLong      = "idempotency_key_too_long"
	CodeIdempotencyRequired        = "idempotency_required"
	CodeInsufficientBalance        = "insufficient_balance"
	CodeInternalError              = "internal_error"
	CodeInvalidChannel             = "invalid_channel"
	CodeInvalidDelay               = "invalid_delay"
	CodeInvalidPhone               = "invalid_phone"
	CodeInvalidStrategy            = "invalid_strategy"
	CodeIPNotAllowed               = "ip_not_allowed"
	CodeLiveKeyNotAllowed          = "live_key_not_allowed"
	CodeMessageEnded               = "message_ended"
	CodeMessageRequired            = "message_required"
	CodeMessageTooLong             = "message_too_long"
	CodeNoCredentials              = "no_credentials"
	CodeNoNextChannel              = "no_next_channel"
	CodeNotFound                   = "not_found"
	CodePayloadTooLarge            = "payload_too_large"
	CodePreconditionFailed         = "precondition_failed"
	CodeQuotaExceeded              = "quota_exceeded"
	CodeRequestTimeout             = "request_timeout"
	CodeScheduleMustBeFuture       = "schedule_must_be_future"
	CodeScheduleTooFar             = "schedule_too_far"
	CodeScopeInsufficient          = "scope_insufficient"
	CodeSecondFactorRequired       = "second_factor_required"
	CodeServiceUnavailable         = "service_unavailable"
	CodeSharedSenderNotAllowed     = "shared_sender_not_allowed"
	CodeSharedSenderUnavailable    = "shared_sender_unavailable"
	CodeSmsMessageConfigMissing    = "sms_message_config_missing"
	CodeSuspectedFraud             = "suspected_fraud"
	CodeTemplateInvalid            = "template_invalid"
	CodeTemplateNotFound           = "template_not_found"
	CodeTemplateParametersMismatch = "template_parameters_mismatch"
	CodeTestKeyNotAllowed          = "test_key_not_allowed"
	CodeTooManyRequestsApiKey      = "too_many_requests_api_key"
	CodeTooManyRequestsPhoneDay    = "too_many_requests_phone_day"
	CodeTooManyRequestsPhoneHour   = "too_many_requests_phone_hour"
	CodeTooManySignIns             = "too_many_sign_ins"
	CodeUnauthenticated            = "unauthenticated"
	CodeUnsupportedMediaType       = "unsupported_media_type"
	CodeValidationError            = "validation_error"
	CodeVerificationEnded          = "verification_ended"
)

// OtpSendRequest: as in the API.
type OtpSendRequest struct {
	// An Iranian mobile number: 0912…, +98912…, 0098912… or 912…, with or without separators
	Phone    string `json:"phone"`
	Channels any    `json:"channels,omitempty"`
	// Seconds to wait after each channel. A channel object's `wait` comes first.
	ChannelTimeout int64 `json:"channel_timeout,omitempty"`
	// The text of the code on messengers: a template that contains `{{code}}`.
	TemplateID any `json:"template_id,omitempty"`
	// Your own data, returned as sent.
	Metadata map[string]any `json:"metadata,omitempty"`
	// The language of the default text: fa (default) or en.
	Locale string     `json:"locale,omitempty"`
	Client *OtpClient `json:"client,omitempty"`
}

// ChannelObject: as in the API.
type ChannelObject struct {
	// eitaa, bale, soroushplus, rubika or sms; with an account of it: voice, and telegram (Telegram Gateway)
	Channel string `json:"channel"`
	// The exact account, when several serve the channel.
	AccountID int64 `json:"account_id,omitempty"`
	// The platform's account; start plan only.
	Sender string `json:"sender,omitempty"`
	// For sms only, e.g. smsir.
	Provider string `json:"provider,omitempty"`
	// Seconds to wait before the next channel.
	Wait int64 `json:"wait,omitempty"`
}

// OtpClient: Who asked for the code. Protects you from abuse; of ip, user_agent and device_id only keyed hashes are stored.
type OtpClient struct {
	// The user's address, not your server's.
	IP string `json:"ip,omitempty"`
	// The user's User-Agent header.
	UserAgent string `json:"user_agent,omitempty"`
	// Your own id of the user's device.
	DeviceID string `json:"device_id,omitempty"`
	// You vouch for this user.
	Trusted bool `json:"trusted,omitempty"`
	// The site where the user enters the code: one of the customer's `webotp_origins`. The text then names it for WebOTP. Absent: the first of them. In the sandbox, any site.
	Origin string `json:"origin,omitempty"`
}

// OtpSendResponse: as in the API.
type OtpSendResponse struct {
	// The verification's id.
	VerificationID string `json:"verification_id"`
	// `queued`: the code was sent, or will be. `failed`: no channel accepted it.
	Status                string            `json:"status"`
	CurrentAttemptChannel ChannelDescriptor `json:"current_attempt_channel"`
	// Seconds for which it is valid.
	ExpiresIn int64 `json:"expires_in"`
	// Digits of the code: what an input field has to take.
	CodeLength int64    `json:"code_length"`
	Risk       *OtpRisk `json:"risk"`
}

// ChannelDescriptor: A channel, and the account that sends over it.
type ChannelDescriptor struct {
	// The kind.
	Type string `json:"type"`
	// The service that sends over the channel.
	Provider string `json:"provider"`
	// The account's id; null for an account of the platform.
	CredentialID *int64 `json:"credential_id"`
	// The account's name, for people.
	Label string `json:"label"`
}

// OtpRisk: How risky the code looks by your own codes only. Absent if your guard is off, and in the sandbox.
type OtpRisk struct {
	// high: the network, the device or the range of numbers is suspicious. medium: only the phone, or your codes as a whole.
	Level string `json:"level"`
	// What of your own codes says so.
	Reasons []string `json:"reasons"`
}

// OtpPreview: as in the API.
type OtpPreview struct {
	// The steps in the order in which a send would try them; empty if the channels' names are refused.
	Route []OtpPreviewedStep `json:"route"`
	// One for each channel of the route.
	Texts []OtpPreviewedText `json:"texts"`
	// Your own limits, and how much of them is used.
	Limits OtpPreviewLimits `json:"limits"`
	// The code of the error that a send would get, as far as your own records say; null if it would be accepted.
	WouldRefuse *string `json:"would_refuse"`
}

// OtpPreviewedStep: as in the API.
type OtpPreviewedStep struct {
	Channel ChannelDescriptor `json:"channel"`
	// Seconds until the next channel.
	Wait int64 `json:"wait"`
	// Rials, if this channel delivers the code.
	Price int64 `json:"price"`
	// What its account can do now. gap: its next turn is too far away. rate: it is at its rate per minute.
	State string `json:"state"`
	// The error's code if it is misconfigured; hours for a call that is not made at this hour; else the state; null if it is ready.
	Reason *string `json:"reason"`
	// When it can send again, if that is known.
	FreeAt *string `json:"free_at"`
}

// OtpPreviewedText: as in the API.
type OtpPreviewedText struct {
	// The channel.
	Channel string `json:"channel"`
	// With a sample code; null if the SMS provider fills in its own template.
	Text *string `json:"text"`
	// Of an SMS with this text; null for others.
	SmsParts *int64 `json:"sms_parts"`
	// too_long_for_app: this SMS has your `app_hash`, but more than the 140 bytes (UTF-8) that the SMS Retriever reads. Null: nothing is wrong.
	Problem *string `json:"problem"`
}

// OtpPreviewLimits: Your own limits, and how much of them is used.
type OtpPreviewLimits struct {
	PhoneHour OtpUsedLimit `json:"phone_hour"`
	PhoneDay  OtpUsedLimit `json:"phone_day"`
	// Accepted requests of a calendar month (UTC).
	Quota *OtpPreviewLimitsQuota `json:"quota"`
	// The customer's money; null if the plan is not charged.
	Wallet *Wallet `json:"wallet"`
}

// OtpUsedLimit: Your codes to this phone, and how many there may be.
type OtpUsedLimit struct {
	// 0: no limit.
	Limit int64 `json:"limit"`
	// Codes that you sent to the phone and that still count.
	Used int64 `json:"used"`
	// Null: nothing counts.
	ResetsAt *string `json:"resets_at"`
}

// OtpPreviewLimitsQuota: Accepted requests of a calendar month (UTC).
type OtpPreviewLimitsQuota struct {
	// How many are included.
	Limit int64 `json:"limit"`
	// How many are used.
	Used int64 `json:"used"`
	// ISO 8601 in UTC
	ResetsAt string `json:"resets_at"`
}

// Wallet: as in the API.
type Wallet struct {
	// Rials
	Balance int64 `json:"balance"`
	// Rials
	Held int64 `json:"held"`
	// Rials
	Available int64 `json:"available"`
	// Always rials.
	Currency string `json:"currency"`
}

// OtpVerifyRequest: as in the API.
type OtpVerifyRequest struct {
	// The verification's id.
	VerificationID string `json:"verification_id"`
	// 1 to 10 digits, as the user typed or pasted them: also Persian ones, or with separators.
	Code string `json:"code"`
}

// OtpVerifyResponse: as in the API.
type OtpVerifyResponse struct {
	// Whether the code was right. Nothing else signs a person in.
	Verified bool `json:"verified"`
	// Why it was accepted, or was not.
	Reason string `json:"reason"`
	// Codes that may still be entered; null if the verification has ended. Absent after the right code. In the sandbox the last try never ends.
	TriesLeft *int64 `json:"tries_left"`
}

// OtpStatusResponse: as in the API.
type OtpStatusResponse struct {
	// The verification's id.
	VerificationID string `json:"verification_id"`
	Status         string `json:"status"`
	// The phone, as `+989…`.
	Phone          string            `json:"phone"`
	CurrentChannel ChannelDescriptor `json:"current_channel"`
	// Until when it is valid; ISO 8601 in UTC. Null: without an end.
	ExpiresAt string `json:"expires_at"`
	// When the right code was entered; null until then.
	VerifiedAt *string `json:"verified_at"`
	// As the send had it; absent if it had none.
	Metadata map[string]any `json:"metadata"`
	// The outcome of the last attempt; null before the first.
	CurrentChannelStatus *string `json:"current_channel_status"`
	// Seconds until the next channel; null if none follows.
	RemainingSeconds *int64 `json:"remaining_seconds"`
	// Each call of a provider, in order.
	Attempts []OtpStatusResponseAttempt `json:"attempts"`
}

// OtpStatusResponseAttempt: as in the API.
type OtpStatusResponseAttempt struct {
	// 1, 2, 3 … in the order of the calls.
	Sequence int64             `json:"sequence"`
	Channel  ChannelDescriptor `json:"channel"`
	// The state.
	Status string `json:"status"`
	// Null if the provider was not called, because no account could send in time.
	DispatchedAt *string `json:"dispatched_at"`
	// Why a later channel followed this attempt; null for the last one.
	TransitionReason *string `json:"transition_reason"`
	// Why the attempt failed; null if it did not.
	ErrorCode *string `json:"error_code"`
	// Why the provider was not called; only if no step was. gap: the account's next turn is too far away. rate: the account is at its rate per minute, or the phone was called too often in this hour. cooldown: the account failed, or was asked to slow down. busy: too many calls to the provider are under way. hours: routes call nobody at this hour.
	SkipReason *string `json:"skip_reason"`
	// The provider's delivery report; null without one.
	Delivery *string `json:"delivery"`
}

// OtpNextRequest: as in the API.
type OtpNextRequest struct {
	// The attempt that you looked at. If a later one exists, nothing happens.
	FromSequence int64 `json:"from_sequence,omitempty"`
	// The channel to try now, as in `channels`: one that is still to come, one that was skipped for its hours, or a step of the saved order with on_request. Absent: the next one.
	Channel string `json:"channel,omitempty"`
}

// ListedOtpList: as in the API.
type ListedOtpList struct {
	// The entries.
	Data []ListedOtp `json:"data"`
	// The `cursor` of the next page; null: this is the last one.
	NextCursor *string `json:"next_cursor"`
}

// ListedOtp: as in the API.
type ListedOtp struct {
	// The verification's id.
	VerificationID string `json:"verification_id"`
	Status         string `json:"status"`
	// The phone, as `+989…`.
	Phone          string            `json:"phone"`
	CurrentChannel ChannelDescriptor `json:"current_channel"`
	// Until when it is valid; ISO 8601 in UTC. Null: without an end.
	ExpiresAt string `json:"expires_at"`
	// When the right code was entered; null until then.
	VerifiedAt *string `json:"verified_at"`
	// As the send had it; absent if it had none.
	Metadata map[string]any `json:"metadata"`
	// The outcome of the last attempt; null before the first.
	CurrentChannelStatus *string `json:"current_channel_status"`
	// Seconds until the next channel; null if none follows.
	RemainingSeconds *int64 `json:"remaining_seconds"`
	// Each call of a provider, in order.
	Attempts []ListedOtpAttempt `json:"attempts"`
	// When it was created; ISO 8601 in UTC.
	CreatedAt string `json:"created_at"`
}

// ListedOtpAttempt: as in the API.
type ListedOtpAttempt struct {
	// 1, 2, 3 … in the order of the calls.
	Sequence int64             `json:"sequence"`
	Channel  ChannelDescriptor `json:"channel"`
	// The state.
	Status string `json:"status"`
	// Null if the provider was not called, because no account could send in time.
	DispatchedAt *string `json:"dispatched_at"`
	// Why a later channel followed this attempt; null for the last one.
	TransitionReason *string `json:"transition_reason"`
	// Why the attempt failed; null if it did not.
	ErrorCode *string `json:"error_code"`
	// Why the provider was not called; only if no step was. gap: the account's next turn is too far away. rate: the account is at its rate per minute, or the phone was called too often in this hour. cooldown: the account failed, or was asked to slow down. busy: too many calls to the provider are under way. hours: routes call nobody at this hour.
	SkipReason *string `json:"skip_reason"`
	// The provider's delivery report; null without one.
	Delivery *string `json:"delivery"`
}

// OtpListQuery: The filters of a list.
type OtpListQuery struct {
	// How many to return.
	Limit int64 `json:"limit,omitempty"`
	// `next_cursor` of the previous page. Without it, the first page.
	Cursor string `json:"cursor,omitempty"`
	// An Iranian mobile number in any accepted form.
	Phone string `json:"phone,omitempty"`
	// Only those with this state.
	Status string `json:"status,omitempty"`
	// Created after this time, not included: ISO 8601. Without an offset it is Tehran time. Write + as %2B.
	CreatedAfter string `json:"created_after,omitempty"`
	// Created before this time, not included: ISO 8601.
	CreatedBefore string `json:"created_before,omitempty"`
	// metadata[key]=value: only what has this text under this top-level key. At most 10 keys.
	Metadata map[string]any `json:"metadata,omitempty"`
}

// SandboxOtpSendRequest: as in the API.
type SandboxOtpSendRequest struct {
	// An Iranian mobile number: 0912…, +98912…, 0098912… or 912…, with or without separators
	Phone    string `json:"phone"`
	Channels any    `json:"channels,omitempty"`
	// Checked, but without effect in the sandbox.
	ChannelTimeout int64 `json:"channel_timeout,omitempty"`
	// Checked, but without effect in the sandbox.
	TemplateID any `json:"template_id,omitempty"`
	// Your own data, returned as sent.
	Metadata map[string]any `json:"metadata,omitempty"`
	// The language of the default text: fa (default) or en.
	Locale string     `json:"locale,omitempty"`
	Client *OtpClient `json:"client,omitempty"`
}

// SandboxOtpStatusResponse: as in the API.
type SandboxOtpStatusResponse struct {
	// The verification's id.
	VerificationID string `json:"verification_id"`
	Status         string `json:"status"`
	// The phone, as `+989…`.
	Phone          string            `json:"phone"`
	CurrentChannel ChannelDescriptor `json:"current_channel"`
	// Until when it is valid; ISO 8601 in UTC. Null: without an end.
	ExpiresAt string `json:"expires_at"`
	// When the right code was entered; null until then.
	VerifiedAt *string `json:"verified_at"`
	// As the send had it; absent if it had none.
	Metadata map[string]any `json:"metadata"`
}

// ListedSandboxOtpList: as in the API.
type ListedSandboxOtpList struct {
	// The entries.
	Data []ListedSandboxOtp `json:"data"`
	// The `cursor` of the next page; null: this is the last one.
	NextCursor *string `json:"next_cursor"`
}

// ListedSandboxOtp: as in the API.
type ListedSandboxOtp struct {
	// The verification's id.
	VerificationID string `json:"verification_id"`
	Status         string `json:"status"`
	// The phone, as `+989…`.
	Phone          string            `json:"phone"`
	CurrentChannel ChannelDescriptor `json:"current_channel"`
	// Until when it is valid; ISO 8601 in UTC. Null: without an end.
	ExpiresAt string `json:"expires_at"`
	// When the right code was entered; null until then.
	VerifiedAt *string `json:"verified_at"`
	// As the send had it; absent if it had none.
	Metadata map[string]any `json:"metadata"`
	// When it was created; ISO 8601 in UTC.
	CreatedAt string `json:"created_at"`
}

// MessageSendRequest: as in the API.
type MessageSendRequest struct {
	// An Iranian mobile number: 0912…, +98912…, 0098912… or 912…, with or without separators
	To string `json:"to"`
	// The text: at most 1000 characters after trimming.
	Message string `json:"message,omitempty"`
	// Instead of message.
	Template *MessageTemplate `json:"template,omitempty"`
	Channels any              `json:"channels,omitempty"`
	// failover (default) or broadcast
	Strategy string `json:"strategy,omitempty"`
	// Your own data, returned as sent.
	Metadata map[string]any `json:"metadata,omitempty"`
	// ISO 8601 date-time, at most 30 days ahead; without an offset it is Tehran time.
	SendAt string `json:"send_at,omitempty"`
	// Instead of send_at: a positive number and s, m, h or d; at most 30 days.
	Delay string `json:"delay,omitempty"`
}

// MessageTemplate: as in the API.
type MessageTemplate struct {
	// The id.
	ID int64 `json:"id"`
	// Exactly the template's placeholders; values are strings, or whole numbers of at most 2^53 - 1.
	Parameters map[string]any `json:"parameters,omitempty"`
}

// MessageChannelObject: as in the API.
type MessageChannelObject struct {
	// eitaa, bale, soroushplus, rubika, telegram or sms
	Channel string `json:"channel"`
	// The exact account, when several serve the channel.
	AccountID int64 `json:"account_id,omitempty"`
}

// MessageSendResponse: as in the API.
type MessageSendResponse struct {
	// The message's id.
	MessageID string `json:"message_id"`
	Status    string `json:"status"`
	// `failover`: the channels in order until one succeeds. `broadcast`: all of them.
	Strategy string `json:"strategy"`
	// When it is sent; null: at once.
	ScheduledFor *string `json:"scheduled_for"`
	// The template of the text; null without one.
	Template       *MessageSendResponseTemplate `json:"template"`
	CurrentChannel ChannelDescriptor            `json:"current_channel"`
}

// MessageSendResponseTemplate: The template of the text; null without one.
type MessageSendResponseTemplate struct {
	// The id.
	ID int64 `json:"id"`
	// The name, for people.
	Name string `json:"name"`
	// The values of the template's placeholders.
	Parameters any `json:"parameters"`
}

// MessageBatchRequest: as in the API.
type MessageBatchRequest struct {
	// 1 to 500 bodies of POST /v1/messages/send.
	Messages []MessageSendRequest `json:"messages"`
}

// MessageBatchResponse: as in the API.
type MessageBatchResponse struct {
	// The entries.
	Data []MessageBatchResponseData `json:"data"`
}

// MessageBatchResponseData: as in the API.
type MessageBatchResponseData struct {
	// The message's place in the request, from 0 on.
	Index int64 `json:"index"`
	// The message's id.
	MessageID *string `json:"message_id"`
	// The state.
	Status *string `json:"status"`
	// Why it was refused.
	Error *MessageBatchResponseDataError `json:"error"`
}

// MessageBatchResponseDataError: Why it was refused.
type MessageBatchResponseDataError struct {
	// The code that a single send would have returned.
	Code string `json:"code"`
	// What is wrong, for you.
	Message string `json:"message"`
	// More about it, for programs.
	Details map[string]any `json:"details"`
}

// MessageStatusResponse: as in the API.
type MessageStatusResponse struct {
	// The message's id.
	MessageID string `json:"message_id"`
	Status    string `json:"status"`
	// The phone, as `+989…`.
	To string `json:"to"`
	// `failover`: the channels in order until one succeeds. `broadcast`: all of them.
	Strategy string `json:"strategy"`
	// When it is sent; null: at once.
	ScheduledFor *string `json:"scheduled_for"`
	// The template of the text; null without one.
	Template *MessageStatusResponseTemplate `json:"template"`
	// Your own data, as the send had it.
	Metadata map[string]any `json:"metadata"`
	// Attempts that a provider accepted.
	SuccessfulAttempts int64 `json:"successful_attempts"`
	// Attempts that failed, or whose outcome is unknown.
	FailedAttempts int64 `json:"failed_attempts"`
	// Failed attempts with an unknown outcome: they may have been delivered.
	UnknownAttempts int64 `json:"unknown_attempts"`
	// When it was created; ISO 8601 in UTC.
	CreatedAt string `json:"created_at"`
	// When nothing was left to do; null until then.
	CompletedAt *string `json:"completed_at"`
	// Each call of a provider, in order.
	Attempts []MessageStatusResponseAttempt `json:"attempts"`
}

// MessageStatusResponseTemplate: The template of the text; null without one.
type MessageStatusResponseTemplate struct {
	// The id.
	ID int64 `json:"id"`
	// The name, for people.
	Name string `json:"name"`
	// The values of the template's placeholders.
	Parameters any `json:"parameters"`
}

// MessageStatusResponseAttempt: as in the API.
type MessageStatusResponseAttempt struct {
	// 1, 2, 3 … in the order of the calls.
	Sequence int64             `json:"sequence"`
	Channel  ChannelDescriptor `json:"channel"`
	// The state.
	Status string `json:"status"`
	// Why the attempt failed; null if it did not.
	ErrorCode *string `json:"error_code"`
	// The same in words; null if it did not fail.
	ErrorMessage *string `json:"error_message"`
	// The provider's own code and text; null without one.
	ProviderError *string `json:"provider_error"`
	// When the call was planned; ISO 8601 in UTC.
	DueAt string `json:"due_at"`
	// When the provider was called; null before that.
	AttemptedAt *string `json:"attempted_at"`
	// When it ended; null until then.
	FinishedAt *string `json:"finished_at"`
}

// MessageStatusResponseList: as in the API.
type MessageStatusResponseList struct {
	// The entries.
	Data []MessageStatusResponse `json:"data"`
	// The `cursor` of the next page; null: this is the last one.
	NextCursor *string `json:"next_cursor"`
}

// MessageListQuery: The filters of a list.
type MessageListQuery struct {
	// How many to return.
	Limit int64 `json:"limit,omitempty"`
	// `next_cursor` of the previous page. Without it, the first page.
	Cursor string `json:"cursor,omitempty"`
	// An Iranian mobile number in any accepted form.
	To string `json:"to,omitempty"`
	// Only those with this state.
	Status string `json:"status,omitempty"`
	// Created after this time, not included: ISO 8601. Without an offset it is Tehran time. Write + as %2B.
	CreatedAfter string `json:"created_after,omitempty"`
	// Created before this time, not included: ISO 8601.
	CreatedBefore string `json:"created_before,omitempty"`
	// metadata[key]=value: only what has this text under this top-level key. At most 10 keys.
	Metadata map[string]any `json:"metadata,omitempty"`
}

// PhoneLookup: as in the API.
type PhoneLookup struct {
	// The phone, as `+989…`.
	Phone string `json:"phone"`
	// By the digits of the number; null for others.
	Operator *string `json:"operator"`
	// Your codes of the last 24 hours; 1000 at most.
	Codes24h int64 `json:"codes_24h"`
	// Of your codes of the last 90 days that have ended, the share that was verified, 0 to 1.
	VerifiedRate *float64 `json:"verified_rate"`
	// When you first sent a code or a message to it, as far as Peyk still has it.
	FirstSeen *string `json:"first_seen"`
	// When a code of the last 90 days was last verified.
	LastVerifiedAt *string `json:"last_verified_at"`
	// In the last 24 hours a code of yours was refused, because many customers sent to the phone.
	Bombed bool `json:"bombed"`
	// The list of your guard that has the phone, or a prefix of it.
	Listed *string `json:"listed"`
}

// PhoneLookupRequest: as in the API.
type PhoneLookupRequest struct {
	// An Iranian mobile number in any accepted form.
	Phone string `json:"phone"`
}

// AccountSummary: as in the API.
type AccountSummary struct {
	// The customer that the key belongs to.
	Customer AccountSummaryCustomer `json:"customer"`
	// `live`, or `test` for the sandbox.
	Mode string `json:"mode"`
	// Limits of this key and of each phone.
	Limits AccountSummaryLimits `json:"limits"`
	// Rials for a successful send. Providers of sms charge the account themselves. voice: over the platform's account, only where it has one.
	Prices AccountSummaryPrices `json:"prices"`
	// Accepted requests of a calendar month (UTC).
	Quota *AccountSummaryQuota `json:"quota"`
	// The customer's money; null if the plan is not charged.
	Wallet *Wallet `json:"wallet"`
}

// AccountSummaryCustomer: The customer that the key belongs to.
type AccountSummaryCustomer struct {
	// The id.
	ID int64 `json:"id"`
	// The name, for people.
	Name string `json:"name"`
	// What the customer pays for.
	Plan string `json:"plan"`
}

// AccountSummaryLimits: Limits of this key and of each phone.
type AccountSummaryLimits struct {
	// 0: no limit
	KeyMinute int64 `json:"key_minute"`
	// 0: no limit
	PhoneHour int64 `json:"phone_hour"`
	// 0: no limit
	PhoneDay int64 `json:"phone_day"`
	// 0: no limit
	MessagePhoneHour int64 `json:"message_phone_hour"`
	// 0: no limit
	MessagePhoneDay int64 `json:"message_phone_day"`
	// 0: no limit
	PlatformPhoneDay int64 `json:"platform_phone_day"`
}

// AccountSummaryPrices: Rials for a successful send. Providers of sms charge the account themselves. voice: over the platform's account, only where it has one.
type AccountSummaryPrices struct {
	// Rials
	Eitaa int64 `json:"eitaa"`
	// Rials
	Bale int64 `json:"bale"`
	// Rials
	Soroushplus int64 `json:"soroushplus"`
	// Rials
	Rubika int64 `json:"rubika"`
	// Rials
	Telegram int64 `json:"telegram"`
	// Rials
	Sms int64 `json:"sms"`
	// Rials
	Voice *int64 `json:"voice"`
}

// AccountSummaryQuota: Accepted requests of a calendar month (UTC).
type AccountSummaryQuota struct {
	// How many are included.
	Limit int64 `json:"limit"`
	// How many are used.
	Used int64 `json:"used"`
	// ISO 8601 in UTC
	ResetsAt string `json:"resets_at"`
}
