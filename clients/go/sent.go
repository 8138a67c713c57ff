package peyk

import "context"

// Codes are one-time codes.
type Codes struct {
	transport *transport
	root      string
}

func (c *Codes) at(id, action string) (string, error) { return at(c.root, id, action) }

func at(root, id, action string) (string, error) {
	part, err := pathPart("id", id)
	return root + "/" + part + action, err
}

// Send sends a code. Repeated after a lost response, it sends no second one.
func (c *Codes) Send(ctx context.Context, request OtpSendRequest, options ...Option) (*OtpSendResponse, error) {
	sent := call{method: "POST", path: c.root + "/send", body: request, isIdempotent: true}
	return send[OtpSendResponse](ctx, c.transport, sent, options)
}

// Verify checks a code. Only Verified is success. It is never repeated: each try counts.
func (c *Codes) Verify(ctx context.Context, verificationID, code string, options ...Option) (*OtpVerifyResponse, error) {
	body := OtpVerifyRequest{VerificationID: verificationID, Code: code}
	return send[OtpVerifyResponse](ctx, c.transport, call{method: "POST", path: c.root + "/verify", body: body}, options)
}

// Status reads a verification.
func (c *Codes) Status(ctx context.Context, id string, options ...Option) (*OtpStatusResponse, error) {
	path, err := c.at(id, "")
	if err != nil {
		return nil, err
	}
	return send[OtpStatusResponse](ctx, c.transport, call{method: "GET", path: path}, options)
}

// Next tries the next channel now; with FromSequence, only if no later attempt exists yet.
func (c *Codes) Next(
	ctx context.Context, id string, request OtpNextRequest, options ...Option,
) (*OtpStatusResponse, error) {
	path, err := c.at(id, "/next")
	if err != nil {
		return nil, err
	}
	next := call{method: "POST", path: path, body: request, isSafe: request.FromSequence != 0}
	return send[OtpStatusResponse](ctx, c.transport, next, options)
}

// Cancel ends a verification: no further channel is tried.
func (c *Codes) Cancel(ctx context.Context, id string, options ...Option) (*OtpStatusResponse, error) {
	path, err := c.at(id, "/cancel")
	if err != nil {
		return nil, err
	}
	return send[OtpStatusResponse](ctx, c.transport, call{method: "POST", path: path, isSafe: true}, options)
}

// List returns one page.
func (c *Codes) List(ctx context.Context, query OtpListQuery, options ...Option) (*ListedOtpList, error) {
	fields, err := fieldsOf(query)
	if err != nil {
		return nil, err
	}
	return send[ListedOtpList](ctx, c.transport, call{method: "GET", path: c.root, query: fields}, options)
}

// All reads every page: for codes := client.OTP.All(query); codes.Next(ctx); { codes.Item() }
func (c *Codes) All(query OtpListQuery) *Items[ListedOtp] {
	return &Items[ListedOtp]{read: func(ctx context.Context, cursor string) ([]ListedOtp, *string, error) {
		query.Cursor = cursor
		page, err := c.List(ctx, query)
		if err != nil {
			return nil, nil, err
		}
		return page.Data, page.NextCursor, nil
	}}
}

// LiveCodes are one-time codes, with a live key.
type LiveCodes struct{ Codes }

// Preview returns what a send of this request would do now. It sends, charges and counts nothing.
func (c *LiveCodes) Preview(ctx context.Context, request OtpSendRequest, options ...Option) (*OtpPreview, error) {
	preview := call{method: "POST", path: c.root + "/preview", body: request, isSafe: true}
	return send[OtpPreview](ctx, c.transport, preview, options)
}

// Messages go to one phone each.
type Messages struct {
	transport *transport
	root      string
}

// Send creates a message. Repeated after a lost response, it creates no second one.
func (m *Messages) Send(ctx context.Context, request MessageSendRequest, options ...Option) (*MessageSendResponse, error) {
	sent := call{method: "POST", path: m.root + "/send", body: request, isIdempotent: true}
	return send[MessageSendResponse](ctx, m.transport, sent, options)
}

// Batch creates up to 500 messages. Each has its own outcome, in the order of the request.
func (m *Messages) Batch(
	ctx context.Context, messages []MessageSendRequest, options ...Option,
) (*MessageBatchResponse, error) {
	body := MessageBatchRequest{Messages: messages}
	sent := call{method: "POST", path: m.root + "/batch", body: body, isIdempotent: true}
	return send[MessageBatchResponse](ctx, m.transport, sent, options)
}

// Status reads a message.
func (m *Messages) Status(ctx context.Context, id string, options ...Option) (*MessageStatusResponse, error) {
	path, err := at(m.root, id, "")
	if err != nil {
		return nil, err
	}
	return send[MessageStatusResponse](ctx, m.transport, call{method: "GET", path: path}, options)
}

// Cancel cancels a message of which nothing was sent yet.
func (m *Messages) Cancel(ctx context.Context, id string, options ...Option) (*MessageStatusResponse, error) {
	path, err := at(m.root, id, "/cancel")
	if err != nil {
		return nil, err
	}
	return send[MessageStatusResponse](ctx, m.transport, call{method: "POST", path: path, isSafe: true}, options)
}

// List returns one page.
func (m *Messages) List(ctx context.Context, query MessageListQuery, options ...Option) (*MessageStatusResponseList, error) {
	fields, err := fieldsOf(query)
	if err != nil {
		return nil, err
	}
	return send[MessageStatusResponseList](ctx, m.transport, call{method: "GET", path: m.root, query: fields}, options)
}

// All reads every page.
func (m *Messages) All(query MessageListQuery) *Items[MessageStatusResponse] {
	return &Items[MessageStatusResponse]{
		read: func(ctx context.Context, cursor string) ([]MessageStatusResponse, *string, error) {
			query.Cursor = cursor
			page, err := m.List(ctx, query)
			if err != nil {
				return nil, nil, err
			}
			return page.Data, page.NextCursor, nil
		}}
}

// Items are all items of a list, read page by page.
type Items[T any] struct {
	read   func(ctx context.Context, cursor string) ([]T, *string, error)
	page   []T
	item   T
	cursor string
	isLast bool
	err    error
}

// Next reads the next item; false at the end, and after an error.
func (i *Items[T]) Next(ctx context.Context) bool {
	for len(i.page) == 0 {
		if i.isLast || i.err != nil {
			return false
		}
		var next *string
		if i.page, next, i.err = i.read(ctx, i.cursor); i.err != nil {
			return false
		}
		i.isLast = next == nil
		if next != nil {
			i.cursor = *next
		}
	}
	i.item, i.page = i.page[0], i.page[1:]
	return true
}

// Item is what Next read.
func (i *Items[T]) Item() T { return i.item }

// Err is what ended the list early.
func (i *Items[T]) Err() error { return i.err }
