/** Undefined for a page without code. */
export declare function programOf(
  text: string,
): { readonly imports: string; readonly declarations: string; readonly body: string } | undefined
