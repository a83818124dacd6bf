export declare function referenceOf(
  engines: readonly {
    readonly type: string
    readonly operations: object
    readonly title?: string
    /** The first one's path is where it is found in a fresh kernel. */
    readonly fresh?: readonly { readonly path: string }[]
  }[],
  facades: Readonly<Record<string, Readonly<Record<string, object>>>>,
): string
