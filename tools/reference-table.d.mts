export declare function referenceOf(
  engines: readonly { readonly type: string; readonly operations: object; readonly title?: string }[],
): string
