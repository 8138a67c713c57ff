using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Security.Cryptography;
using System.Text;

namespace Peyk
{
    /// <summary>Checks that an event came from Peyk (Standard Webhooks 1.0).</summary>
    public static class Webhooks
    {
        private static readonly DateTime Epoch = new DateTime(1970, 1, 1, 0, 0, 0, DateTimeKind.Utc);

        /// <summary>
        /// Returns the event of a request whose signature is right. The body is its bytes exactly as they arrived. Keep
        /// <c>webhook-id</c> for a while: the same event can arrive more than once.
        /// </summary>
        public static JsonObject Verify(
            byte[] body, IEnumerable<KeyValuePair<string, string>> headers, string secret, int toleranceSeconds = 300)
        {
            if (body == null) throw new ArgumentException("body must be the bytes exactly as they arrived.");
            var key = KeyOf(secret);
            var given = (headers ?? Enumerable.Empty<KeyValuePair<string, string>>()).ToList();
            var timestamp = HeaderOf(given, "webhook-timestamp");
            var head = Encoding.UTF8.GetBytes(HeaderOf(given, "webhook-id") + "." + timestamp + ".");
            byte[] mac;
            using (var hash = new HMACSHA256(key)) mac = hash.ComputeHash(head.Concat(body).ToArray());
            var expected = "v1," + Convert.ToBase64String(mac);
            var isSigned = false;
            foreach (var signature in HeaderOf(given, "webhook-signature").Split(' '))
                isSigned |= AreEqual(expected, signature);
            if (!isSigned) throw new WebhookVerificationException("The signature is not Peyk's.");
            RequireFresh(timestamp, toleranceSeconds);
            return new JsonObject(EventOf(body));
        }

        private static string HeaderOf(IEnumerable<KeyValuePair<string, string>> headers, string name)
        {
            foreach (var header in headers)
                if (string.Equals(header.Key, name, StringComparison.OrdinalIgnoreCase) && !string.IsNullOrEmpty(header.Value))
                    return header.Value;
            throw new WebhookVerificationException("There is no " + name + " header.");
        }

        private static byte[] KeyOf(string secret)
        {
            // A variable that is not set is the usual mistake.
            var text = (secret ?? "").Trim();
            if (text.StartsWith("whsec_", StringComparison.Ordinal)) text = text.Substring(6);
            text = text.TrimEnd('=');
            try
            {
                var key = Convert.FromBase64String(text + new string('=', (4 - text.Length % 4) % 4));
                if (key.Length > 0) return key;
            }
            catch (FormatException)
            {
            }
            throw new ArgumentException("The secret is not the whsec_… of a webhook.");
        }

        /// <summary>In a time that does not depend on where they differ.</summary>
        private static bool AreEqual(string expected, string given)
        {
            var difference = expected.Length ^ given.Length;
            for (var at = 0; at < expected.Length; at++) difference |= expected[at] ^ (at < given.Length ? given[at] : 0);
            return difference == 0;
        }

        private static void RequireFresh(string timestamp, int toleranceSeconds)
        {
            long seconds;
            var isNumber = long.TryParse(timestamp, NumberStyles.None, CultureInfo.InvariantCulture, out seconds);
            if (!isNumber || Math.Abs((DateTime.UtcNow - Epoch).TotalSeconds - seconds) > toleranceSeconds)
                throw new WebhookVerificationException("The request is too old, or from the future.");
        }

        private static IDictionary<string, object> EventOf(byte[] body)
        {
            try
            {
                var fields = Json.Parse(Encoding.UTF8.GetString(body).TrimStart('\uFEFF')) as IDictionary<string, object>;
                if (fields != null) return fields;
            }
            catch (FormatException)
            {
            }
            throw new WebhookVerificationException("The body is no event.");
        }
    }
}
