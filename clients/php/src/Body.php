<?php

declare(strict_types=1);

namespace Peyk;

/** Writes a body as JSON. An empty PHP array can be a list or an object: the field decides. */
final class Body
{
    /** @param array<string, mixed> $fields */
    public static function json(array $fields): string
    {
        try {
            return json_encode(self::objectOf($fields), JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE);
        } catch (\JsonException $error) {
            $message = 'A field cannot be written as JSON: ' . $error->getMessage();
            throw new \InvalidArgumentException($message, 0, $error);
        }
    }

    /** @param array<string, mixed> $fields */
    private static function objectOf(array $fields): object
    {
        foreach ($fields as $name => $value) {
            if (is_array($value)) {
                $fields[$name] = self::valueOf($name, $value);
            }
        }
        return (object) $fields;
    }

    /** @param array<mixed> $value */
    private static function valueOf(string|int $name, array $value): object|array
    {
        return match ($name) {
            'metadata', 'parameters', 'settings', 'client' => (object) $value,
            'template' => self::objectOf($value),
            'messages' => array_map(fn (mixed $each): mixed => is_array($each) ? self::objectOf($each) : $each, $value),
            default => $value,
        };
    }
}
