<?php

declare(strict_types=1);

namespace Peyk;

/**
 * The server's half of the login page: what its routes do, for any framework with sessions. `$state` is what you keep
 * in the visitor's session, and nowhere else; an empty array at first.
 *
 * @phpstan-type State array{verification?: string, sequence?: int, asked?: list<int>}
 */
final class Login
{
    private const WINDOW_SECONDS = 600;
    /** It is no id, so Peyk refuses it, and the page offers a new code. */
    private const NONE = 'none';

    /**
     * @param int $perSession codes in ten minutes; another channel counts too. Limit addresses in your framework.
     * @param list<string> $channels those that visitors can ask for, such as ['sms', 'voice']: a button for each
     * @param ?string $origin this site, as https://shop.example.ir, if the customer saved several webotp_origins
     */
    public function __construct(
        private readonly Peyk $peyk,
        private readonly int $perSession = 5,
        private readonly array $channels = [],
        private readonly ?string $origin = null,
    ) {
    }

    /** @param State $state */
    public function send(array &$state, ?string $ip, mixed $phone): LoginReply
    {
        return $this->limited($state, function (array $before) use (&$state, $ip, $phone): LoginReply {
            $number = is_scalar($phone) ? (string) $phone : '';
            $client = array_filter(['ip' => $ip, 'origin' => $this->origin], static fn (?string $each): bool => $each !== null);
            $sent = $this->peyk->otp->send($number, $client === [] ? [] : ['client' => $client]);
            $state = [...$before, 'verification' => $sent['verification_id'], 'sequence' => 1];
            $this->cancel($before['verification'] ?? null);
            return new LoginReply(200, [
                'status' => $sent['status'],
                'channel' => self::name($sent['current_attempt_channel']),
                'expires_in' => $sent['expires_in'],
                'code_length' => $sent['code_length'],
                ...$this->offered([$sent['current_attempt_channel']]),
            ]);
        });
    }

    /**
     * Tries the next channel now, or the one that the page names.
     *
     * @param State $state
     */
    public function next(array &$state, mixed $channel = null): LoginReply
    {
        // A channel that you did not offer is not asked for, whatever the page sends.
        if ($channel !== null && !in_array($channel, $this->channels, true)) {
            return new LoginReply(422, ['error' => 'invalid_channel']);
        }
        return $this->limited($state, function (array $before) use (&$state, $channel): LoginReply {
            $id = $before['verification'] ?? self::NONE;
            return $this->show($state, $this->peyk->otp->next($id, $before['sequence'] ?? 1, $channel));
        });
    }

    /** @param State $state */
    public function status(array &$state): LoginReply
    {
        return self::answer(function () use (&$state): LoginReply {
            return $this->show($state, $this->peyk->otp->status($state['verification'] ?? self::NONE));
        });
    }

    /** @param State $state */
    public function verify(array &$state, mixed $code): LoginReply
    {
        return self::answer(function () use (&$state, $code): LoginReply {
            $id = $state['verification'] ?? self::NONE;
            $outcome = $this->peyk->otp->verify($id, is_scalar($code) ? (string) $code : '');
            if (!$outcome['verified']) {
                return new LoginReply(200, $outcome);
            }
            $state = [];
            return new LoginReply(200, $outcome, $this->peyk->otp->status($id)['phone']);
        });
    }

    /** Otherwise the earlier code could still arrive over its next channel. That it has ended already is no error. */
    private function cancel(?string $earlier): void
    {
        try {
            $earlier === null || $this->peyk->otp->cancel($earlier);
        } catch (PeykException) {
        }
    }

    /** @param callable(State): LoginReply $run */
    private function limited(array &$state, callable $run): LoginReply
    {
        $now = time();
        $isRecent = fn (int $at): bool => $at > $now - self::WINDOW_SECONDS;
        $asked = array_values(array_filter($state['asked'] ?? [], $isRecent));
        if (count($asked) >= $this->perSession) {
            $wait = self::WINDOW_SECONDS - $now + ($asked[0] ?? $now);
            return new LoginReply(429, ['error' => 'too_many_requests', 'retry_after' => $wait]);
        }
        $state = [...$state, 'asked' => [...$asked, $now]];
        $before = $state;
        return self::answer(fn (): LoginReply => $run($before));
    }

    /** @param array<string, mixed> $found */
    private function show(array &$state, array $found): LoginReply
    {
        $wasTried = fn (array $attempt): bool => ($attempt['skip_reason'] ?? null) !== 'hours';
        $tried = array_column(array_filter($found['attempts'], $wasTried), 'channel');
        $state['sequence'] = end($found['attempts'])['sequence'] ?? 1;
        return new LoginReply(200, [
            'status' => $found['status'],
            'channel' => self::name($found['current_channel']),
            'next_in' => $found['remaining_seconds'],
            ...$this->offered($tried),
        ]);
    }

    /** Nothing, where no channel may be asked for. One that was tried already cannot be asked for again. */
    private function offered(array $tried): array
    {
        $left = array_values(array_diff($this->channels, array_map(self::name(...), $tried)));
        return $this->channels === [] ? [] : ['channels' => $left];
    }

    /** For the page: a messenger's name, `sms` or `voice`. Accounts and their labels are nobody's business. */
    private static function name(array $channel): string
    {
        return $channel['type'] === 'messenger' ? $channel['provider'] : $channel['type'];
    }

    private static function answer(callable $run): LoginReply
    {
        try {
            return $run();
        } catch (PeykException $error) {
            // Not Peyk's own response: its status would say something wrong about this page.
            $isForeign = $error->errorCode === 'invalid_response' || $error->status === 0;
            $body = ['error' => $error->errorCode, 'retry_after' => $error->retryAfter];
            return new LoginReply($isForeign ? 503 : $error->status, $body);
        }
    }
}
