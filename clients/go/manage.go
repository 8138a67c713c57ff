package peyk

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

//go:embed operations.json
var operationsText []byte

type operation struct {
	Method       string
	Path         string
	HasBody      bool
	IsIdempotent bool
}

var operations = func() map[string]operation {
	all := map[string]operation{}
	if err := json.Unmarshal(operationsText, &all); err != nil {
		panic(err)
	}
	return all
}()

var pathName = regexp.MustCompile(`\{(\w+)\}`)

// Fields of a request by their names in the API.
type Fields map[string]any

// Manage is the management API by operation, with a token.
type Manage struct{ transport *transport }

// Call calls an operation: client.Manage.Call(ctx, "api-keys.create", peyk.Fields{"name": "shop", "mode": "live"}, &key).
// Fields are those of the path, the query or the body. The result is decoded into result, if it is not nil.
func (m *Manage) Call(ctx context.Context, operationID string, fields Fields, result any, options ...Option) error {
	known, isKnown := operations[operationID]
	if !isKnown {
		all := strings.Join(sortedNames(operations), ", ")
		return &ArgumentError{fmt.Sprintf("There is no operation %s. There are: %s.", operationID, all)}
	}
	rest := map[string]any{}
	for name, value := range fields {
		rest[name] = value
	}
	path, err := pathWith(known.Path, rest)
	if err != nil {
		return err
	}
	made := call{
		method:       known.Method,
		path:         path,
		usesToken:    true,
		isIdempotent: known.IsIdempotent,
		// A repeated removal finds nothing.
		isSafe:     known.Method == "PUT",
		mayBeEmpty: true,
	}
	if known.Method == "GET" {
		if made.query, err = fieldsOf(rest); err != nil {
			return err
		}
	}
	if known.HasBody {
		made.body = rest
	}
	text, err := m.transport.send(ctx, made, options)
	if err != nil || text == nil || result == nil {
		return err
	}
	return json.Unmarshal(text, result)
}

// Puts the ids into the path, and takes them out of the fields.
func pathWith(path string, fields map[string]any) (string, error) {
	var failure error
	full := pathName.ReplaceAllStringFunc(path, func(found string) string {
		name := found[1 : len(found)-1]
		part, err := pathPart(name, idText(fields[name]))
		if err != nil {
			failure = err
		}
		delete(fields, name)
		return part
	})
	return full, failure
}

func idText(value any) string {
	switch id := value.(type) {
	case string:
		return id
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, json.Number:
		return fmt.Sprint(id)
	case float64:
		// as encoding/json decodes an id into any
		if id == math.Trunc(id) && math.Abs(id) < 1<<53 {
			return strconv.FormatFloat(id, 'f', -1, 64)
		}
		return ""
	case fmt.Stringer:
		return id.String()
	default:
		return ""
	}
}
