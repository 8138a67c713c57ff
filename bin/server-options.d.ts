export declare const serverOption: string
export declare const isSizeChosen: () => boolean
