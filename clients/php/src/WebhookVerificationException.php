<?php

declare(strict_types=1);

namespace Peyk;

/** The request did not come from Peyk, was changed, or is too old. Respond with 400. */
final class WebhookVerificationException extends \RuntimeException
{
}
