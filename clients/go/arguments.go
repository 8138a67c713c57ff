package peyk

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

var (
	baseURLForm    = regexp.MustCompile(`^https?://[^@?#\s]+$`)
	credentialForm = regexp.MustCompile(`^[!-~]*$`)
	keyForm        = regexp.MustCompile(`^[!-~]([ -~]{0,253}[!-~])?$`)
)

func baseURLOf(value string) (string, error) {
	trimmed := strings.TrimSpace(value)
	if !baseURLForm.MatchString(trimmed) {
		return "", &ArgumentError{"baseURL must be http:// or https://, a host and at most a path."}
	}
	return strings.TrimRight(trimmed, "/"), nil
}

// A key or token without the blanks around it, such as the line break of a file.
func credentialOf(name, value string) (string, error) {
	text := strings.TrimSpace(value)
	if !credentialForm.MatchString(text) {
		return "", &ArgumentError{name + " has characters that no header can carry."}
	}
	return text, nil
}

// The given key, or a new one.
func idempotencyKeyOf(given *string) (string, error) {
	if given != nil {
		if !keyForm.MatchString(*given) || len(*given) > 255 {
			return "", &ArgumentError{
				"The idempotency key must be 1 to 255 printable ASCII characters, without blanks around it."}
		}
		return *given, nil
	}
	var random [16]byte
	if _, err := rand.Read(random[:]); err != nil {
		return "", err
	}
	return hex.EncodeToString(random[:]), nil
}

func etagOf(version int64) (string, error) {
	if version < 0 {
		return "", &ArgumentError{`ifMatch must be a version: the number 3, or the string "3" with its quotes.`}
	}
	return `"` + strconv.FormatInt(version, 10) + `"`, nil
}

// Without a value the path is another operation's, and servers resolve the dots.
func pathPart(name, value string) (string, error) {
	if value == "" || value == "." || value == ".." {
		return "", &ArgumentError{name + " must be a text or a whole number that can be part of a path."}
	}
	return url.PathEscape(value), nil
}

func jsonOf(body any) ([]byte, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, &ArgumentError{"A field cannot be written as JSON: " + err.Error()}
	}
	return text, nil
}

// The fields of a query by their names in the API.
func fieldsOf(query any) (map[string]any, error) {
	text, err := jsonOf(query)
	if err != nil {
		return nil, err
	}
	fields := map[string]any{}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	if err := decoder.Decode(&fields); err != nil {
		return nil, &ArgumentError{"A field cannot be written as JSON: " + err.Error()}
	}
	return fields, nil
}

// `metadata` becomes `metadata[key]=value`.
func queryText(fields map[string]any) string {
	values := url.Values{}
	for name, value := range fields {
		switch each := value.(type) {
		case nil:
		case map[string]any:
			for key, inner := range each {
				values.Set(name+"["+key+"]", scalarText(inner))
			}
		default:
			values.Set(name, scalarText(each))
		}
	}
	if len(values) == 0 {
		return ""
	}
	return "?" + values.Encode()
}

func scalarText(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	text, _ := json.Marshal(value)
	return string(text)
}

func sortedNames[T any](all map[string]T) []string {
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
