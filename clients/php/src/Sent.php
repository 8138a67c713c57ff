<?php

declare(strict_types=1);

namespace Peyk;

/** The common part of codes and messages. */
abstract class Sent
{
    protected const FILTERS = [];
    protected const COMMON_FILTERS = ['status', 'metadata', 'created_after', 'created_before', 'limit', 'cursor'];

    public function __construct(protected readonly Transport $transport, protected readonly string $root)
    {
    }

    /** @return array<string, mixed> */
    public function status(string $id): array
    {
        return $this->transport->send('GET', $this->at($id));
    }

    /** @return array<string, mixed> */
    public function cancel(string $id): array
    {
        return $this->transport->send('POST', $this->at($id, '/cancel'), isSafe: true);
    }

    /**
     * One page: `data` and `next_cursor`.
     *
     * @param array<string, mixed> $query
     * @return array{data: list<array<string, mixed>>, next_cursor: ?string}
     */
    public function list(array $query = []): array
    {
        return $this->transport->send('GET', $this->root, query: Arguments::fields($query, static::FILTERS));
    }

    /**
     * Every item, page by page.
     *
     * @param array<string, mixed> $query
     * @return \Generator<int, array<string, mixed>>
     */
    public function all(array $query = []): \Generator
    {
        yield from Pages::of(fn (array $each): array => $this->list($each), $query);
    }

    protected function at(string $id, string $action = ''): string
    {
        return $this->root . '/' . Arguments::pathPart('id', $id) . $action;
    }
}
