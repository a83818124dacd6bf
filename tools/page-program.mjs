// A page of the docs as one program: its `ts` blocks in order, together with what it holds in comments (`before`: what a reader has already;
// `behind`: what must hold). Declarations (`typescript` blocks) are for the compiler alone.
const CODE = /^```ts\n([\s\S]*?)^```|^<!-- (?:before|behind)\n([\s\S]*?)^-->/gm
const TYPES = /^```typescript\n([\s\S]*?)^```/gm
const IMPORT = /^import [\s\S]*? from '[^']+'\n/gm

/**
 * @param {string} text of the page
 * @returns {{ readonly imports: string, readonly declarations: string, readonly body: string } | undefined} undefined for a page without code
 */
export function programOf(text) {
  const pieces = [...text.matchAll(CODE)].map(([, shown, hidden]) => shown ?? hidden ?? '')
  if (pieces.length === 0) return undefined
  const code = pieces.join('\n')
  return {
    imports: [...code.matchAll(IMPORT)].map(([line]) => line).join(''),
    declarations: [...text.matchAll(TYPES)].map(([, types]) => types).join('\n'),
    body: code.replaceAll(IMPORT, ''),
  }
}
