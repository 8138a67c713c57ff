using System;
using System.Collections.Generic;

namespace Peyk
{
    /// <summary>A call that failed. <see cref="ErrorCodes"/> has the codes.</summary>
    public sealed class PeykException : Exception
    {
        internal PeykException(string code, string message, Exception cause = null) : base(message, cause)
        {
            Code = code;
            Details = new Dictionary<string, object>();
        }

        /// <summary>A code of the API, or <c>timeout</c>, <c>connection_failed</c> or <c>invalid_response</c>.</summary>
        public string Code { get; }

        /// <summary>The HTTP status; 0 if there was no response.</summary>
        public int Status { get; internal set; }

        public IDictionary<string, object> Details { get; internal set; }

        /// <summary>Finds the request in the logs of the service; null if there was no response.</summary>
        public string RequestId { get; internal set; }

        /// <summary>How long to wait before the next try; null if the service did not say.</summary>
        public TimeSpan? RetryAfter { get; internal set; }
    }

    /// <summary>The request did not come from Peyk, was changed, or is too old. Respond with 400.</summary>
    public sealed class WebhookVerificationException : Exception
    {
        internal WebhookVerificationException(string message) : base(message)
        {
        }
    }
}
