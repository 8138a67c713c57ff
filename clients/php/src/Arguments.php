<?php

declare(strict_types=1);

namespace Peyk;

/** Checks arguments before a request is made. The errors never contain the value: it may be a secret. */
final class Arguments
{
    public static function baseUrl(#[\SensitiveParameter] string $value): string
    {
        if (preg_match('~^https?://[^@?#\s]+$~D', trim($value)) !== 1) {
            throw new \InvalidArgumentException('baseUrl must be http:// or https://, a host and at most a path.');
        }
        return rtrim(trim($value), '/');
    }

    /**
     * A misspelled field would have no effect: the API ignores fields that it does not know.
     *
     * @param array<string, mixed> $fields
     * @param list<string> $known
     * @return array<string, mixed>
     */
    public static function fields(array $fields, array $known): array
    {
        foreach (array_keys($fields) as $name) {
            if (!in_array($name, $known, true)) {
                throw new \InvalidArgumentException(
                    "There is no field $name. There are: " . implode(', ', $known) . '.',
                );
            }
        }
        return $fields;
    }

    public static function timeout(float $seconds): float
    {
        if (!is_finite($seconds) || $seconds <= 0) {
            throw new \InvalidArgumentException('timeout must be a number of seconds above 0.');
        }
        return $seconds;
    }

    /** A key or token without the blanks around it, such as the line break of a file; empty if there is none. */
    public static function credential(string $name, #[\SensitiveParameter] ?string $value): string
    {
        $text = trim($value ?? '');
        if (preg_match('/^[!-~]*$/D', $text) !== 1) {
            throw new \InvalidArgumentException("$name has characters that no header can carry.");
        }
        return $text;
    }

    /** The given key, or a new one. */
    public static function idempotencyKey(?string $value): string
    {
        if ($value !== null && preg_match('/^[!-~]([ -~]{0,253}[!-~])?$/D', $value) !== 1) {
            throw new \InvalidArgumentException(
                'The idempotency key must be 1 to 255 printable ASCII characters, without blanks around it.',
            );
        }
        return $value ?? bin2hex(random_bytes(16));
    }

    /** What `If-Match` takes: the version in quotes. */
    public static function etag(string|int $version): string
    {
        $etag = is_int($version) ? "\"$version\"" : $version;
        if (preg_match('/^"[0-9]+"$/D', $etag) !== 1) {
            throw new \InvalidArgumentException(
                'ifMatch must be a version: the number 3, or the string "3" with its quotes.',
            );
        }
        return $etag;
    }

    public static function pathPart(string $name, mixed $value): string
    {
        // Without a value the path is another operation's, and curl resolves the dots.
        if (!(is_string($value) || is_int($value)) || in_array($value, ['', '.', '..'], true)) {
            throw new \InvalidArgumentException(
                "$name must be a text or a whole number that can be part of a path.",
            );
        }
        return rawurlencode((string) $value);
    }
}
