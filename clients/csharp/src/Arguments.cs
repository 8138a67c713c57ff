using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text.RegularExpressions;

namespace Peyk
{
    /// <summary>Checks arguments before a request is made. The messages never contain the value: it may be a secret.</summary>
    internal static class Arguments
    {
        public static string BaseUrl(string value)
        {
            var text = (value ?? "").Trim();
            if (!Regex.IsMatch(text, @"^https?://[^@?#\s]+\z"))
                throw new ArgumentException("baseUrl must be http:// or https://, a host and at most a path.");
            return text.TrimEnd('/');
        }

        /// <summary>A key or token without the blanks around it, such as the line break of a file.</summary>
        public static string Credential(string name, string value)
        {
            var text = (value ?? "").Trim();
            if (!Regex.IsMatch(text, @"^[!-~]*\z"))
                throw new ArgumentException(name + " has characters that no header can carry.");
            return text;
        }

        public static TimeSpan Timeout(TimeSpan? value)
        {
            var given = value ?? TimeSpan.FromSeconds(20);
            if (given <= TimeSpan.Zero || given.TotalMilliseconds > int.MaxValue)
                throw new ArgumentException("timeout must be a number of seconds above 0.");
            return given;
        }

        /// <summary>The given key, or a new one.</summary>
        public static string IdempotencyKey(string value)
        {
            if (value != null && !Regex.IsMatch(value, @"^[!-~]([ -~]{0,253}[!-~])?\z"))
                throw new ArgumentException(
                    "The idempotency key must be 1 to 255 printable ASCII characters, without blanks around it.");
            return value ?? Guid.NewGuid().ToString();
        }

        /// <summary>What If-Match takes: the version in quotes.</summary>
        public static string ETag(long version)
        {
            if (version < 0)
                throw new ArgumentException("ifMatch must be a version: the number 3, or the string \"3\" with its quotes.");
            return "\"" + version.ToString(CultureInfo.InvariantCulture) + "\"";
        }

        /// <summary>Without a value the path is another operation's, and servers resolve the dots.</summary>
        public static string PathPart(string name, object value)
        {
            var isId = value is string || value is int || value is long || value is Guid;
            var text = isId ? Convert.ToString(value, CultureInfo.InvariantCulture) : "";
            if (text == "" || text == "." || text == "..")
                throw new ArgumentException(name + " must be a text or a whole number that can be part of a path.");
            return Uri.EscapeDataString(text);
        }

        /// <summary><c>metadata</c> becomes <c>metadata[key]=value</c>.</summary>
        public static string Query(IDictionary<string, object> fields)
        {
            var pairs = new List<string>();
            foreach (var field in fields.Where(each => each.Value != null))
                if (field.Value is IDictionary<string, object> inner)
                    pairs.AddRange(inner.Select(each => Pair(field.Key + "[" + each.Key + "]", each.Value)));
                else pairs.Add(Pair(field.Key, field.Value));
            return pairs.Count == 0 ? "" : "?" + string.Join("&", pairs);
        }

        private static string Pair(string name, object value) =>
            Uri.EscapeDataString(name) + "=" + Uri.EscapeDataString(value as string ?? Json.Write(value));
    }
}
