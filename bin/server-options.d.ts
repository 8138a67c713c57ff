/**
 * @param memory in bytes; without it, that of the machine or of the container
 * @param given Node's options; without them, those of this process
 */
export declare const serverOptions: (memory?: number, given?: ReadonlyArray<string>) => ReadonlyArray<string>
