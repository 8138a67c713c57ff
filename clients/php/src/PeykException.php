<?php

declare(strict_types=1);

namespace Peyk;

/**
 * A failed call. `errorCode` says why: a code of the API, `connection_failed`, `timeout` or `invalid_response`.
 */
final class PeykException extends \RuntimeException
{
    /** @param array<string, mixed> $details */
    public function __construct(
        public readonly string $errorCode,
        string $message,
        public readonly int $status = 0,
        public readonly array $details = [],
        public readonly ?string $requestId = null,
        public readonly ?int $retryAfter = null,
    ) {
        parent::__construct($message);
    }
}
