<?php

/** Serves examples/laravel/web.php with the few parts of Laravel that it uses, so that a test needs no Laravel. */

namespace Illuminate\Http {
    class Session
    {
        public function put(string $name, mixed $value): void { $_SESSION[$name] = $value; }
        public function get(string $name, mixed $default): mixed { return $_SESSION[$name] ?? $default; }
        public function forget(string $name): void { unset($_SESSION[$name]); }
    }

    class Request
    {
        public function __construct(private array $fields) {}
        public function input(string $name): mixed { return $this->fields[$name] ?? null; }
        public function ip(): string { return $_SERVER['REMOTE_ADDR']; }
        public function session(): Session { return new Session(); }
    }
}

namespace Illuminate\Support\Facades {
    class Route
    {
        public static array $routes = [];
        public static function post(string $path, callable $handle): void { self::$routes[$path] = $handle; }
    }
}

namespace {
    class Responses
    {
        public function json(array $data, int $status = 200): string
        {
            http_response_code($status);
            return json_encode($data);
        }
    }

    function response(): Responses { return new Responses(); }

    spl_autoload_register(function (string $class): void {
        require getenv('SOURCES') . '/' . basename(strtr($class, '\\', '/')) . '.php';
    });
    session_start();
    require getenv('EXAMPLE');
    $handle = Illuminate\Support\Facades\Route::$routes[$_SERVER['REQUEST_URI']];
    echo $handle(new Illuminate\Http\Request(json_decode(file_get_contents('php://input'), true)));
}
