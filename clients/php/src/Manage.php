<?php

declare(strict_types=1);

namespace Peyk;

/** The management API by operation: `$peyk->manage->call('api-keys.create', ['name' => 'backend', 'mode' => 'live'])`. */
final class Manage
{
    /** @var array<string, array{method: string, path: string, hasBody?: bool, isIdempotent?: bool}> */
    private readonly array $operations;

    public function __construct(private readonly Transport $transport)
    {
        $text = (string) file_get_contents(__DIR__ . '/operations.json');
        $this->operations = json_decode($text, true, 512, JSON_THROW_ON_ERROR);
    }

    /**
     * Fields are those of the path, the query or the body. `$ifMatch` is the version that you read: `3`.
     *
     * @param array<string, mixed> $fields
     */
    public function call(
        string $operation,
        array $fields = [],
        ?string $idempotencyKey = null,
        string|int|null $ifMatch = null,
    ): mixed {
        $known = $this->operations[$operation]
            ?? throw new \InvalidArgumentException("There is no operation $operation.");
        $path = preg_replace_callback('/\{(\w+)\}/', function (array $name) use (&$fields): string {
            $part = Arguments::pathPart($name[1], $fields[$name[1]] ?? null);
            unset($fields[$name[1]]);
            return $part;
        }, $known['path']);
        return $this->transport->send(
            $known['method'],
            (string) $path,
            credential: 'token',
            query: $known['method'] === 'GET' ? $fields : [],
            body: ($known['hasBody'] ?? false) ? $fields : null,
            // A repeated removal finds nothing, and a repeat with the version before the change is refused.
            isSafe: $known['method'] === 'PUT' && $ifMatch === null,
            isIdempotent: $known['isIdempotent'] ?? false,
            idempotencyKey: $idempotencyKey,
            ifMatch: $ifMatch,
            mayBeEmpty: true,
        );
    }

    /**
     * Every item of a list, page by page.
     *
     * @param array<string, mixed> $fields
     * @return \Generator<int, array<string, mixed>>
     */
    public function all(string $operation, array $fields = []): \Generator
    {
        yield from Pages::of(fn (array $query): array => $this->call($operation, $query), $fields);
    }
}
