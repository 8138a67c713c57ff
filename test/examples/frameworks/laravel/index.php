<?php

/** Serves examples/laravel/web.php in a small application of Laravel 8, with the middleware of its web routes. */

use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Contracts\Http\Kernel as HttpKernel;
use Illuminate\Foundation\Application;
use Illuminate\Foundation\Exceptions\Handler;
use Illuminate\Foundation\Http\Kernel;
use Illuminate\Foundation\Http\Middleware\VerifyCsrfToken;
use Illuminate\Http\Request;
use Illuminate\Support\Facades\Route;

// a file of the login page
if (is_file(__DIR__ . '/public' . parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH))) {
    return false;
}
// Debian's package of the framework, which is on PHP's include path
require 'Illuminate/autoload.php';
spl_autoload_register(function (string $class): void {
    $file = getenv('CLIENT') . '/' . basename(strtr($class, '\\', '/')) . '.php';
    if (str_starts_with($class, 'Peyk\\')) {
        require $file;
    }
});

/** Applications extend the framework's check in a class of their own. */
class ApplicationCsrf extends VerifyCsrfToken {}

class ApplicationKernel extends Kernel
{
    protected $middlewareGroups = ['web' => [
        Illuminate\Cookie\Middleware\EncryptCookies::class,
        Illuminate\Cookie\Middleware\AddQueuedCookiesToResponse::class,
        Illuminate\Session\Middleware\StartSession::class,
        ApplicationCsrf::class,
        Illuminate\Routing\Middleware\SubstituteBindings::class,
    ]];
}

foreach (['bootstrap/cache', 'storage/framework/sessions', 'storage/logs'] as $folder) {
    is_dir(__DIR__ . "/$folder") || mkdir(__DIR__ . "/$folder", recursive: true);
}
$app = new Application(__DIR__);
$app->singleton(HttpKernel::class, ApplicationKernel::class);
$app->singleton(ExceptionHandler::class, Handler::class);
$app->booted(function () {
    Route::middleware('web')->group(getenv('EXAMPLE'));
});
$kernel = $app->make(HttpKernel::class);
$request = Request::capture();
$response = $kernel->handle($request)->send();
$kernel->terminate($request, $response);
