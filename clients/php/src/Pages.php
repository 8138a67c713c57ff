<?php

declare(strict_types=1);

namespace Peyk;

/** Reads a list page by page. */
final class Pages
{
    /**
     * @param callable(array<string, mixed>): array{data: list<array<string, mixed>>, next_cursor: ?string} $read
     * @param array<string, mixed> $query
     * @return \Generator<int, array<string, mixed>>
     */
    public static function of(callable $read, array $query): \Generator
    {
        $cursor = null;
        do {
            $page = $read($cursor === null ? $query : [...$query, 'cursor' => $cursor]);
            foreach ($page['data'] as $item) {
                yield $item;
            }
            $cursor = $page['next_cursor'];
        } while ($cursor !== null);
    }
}
