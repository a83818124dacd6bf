// Reads the snippets of a documentation page as programs.
//
// The `ts` blocks of a page, in order, are one program. `typescript` blocks are declarations, which have no effect when the program runs. A block
// marked `ts compiled` is a separate module, which is compiled but never run, because it needs a server or an account. A page shows all code that its
// snippets need.
import { fileURLToPath } from 'node:url'

const BLOCK = /^```(ts|typescript|ts compiled)\n([\s\S]*?)^```/gm
/** Code in a comment, which no reader sees. */
const HIDDEN = /^<!-- *(?:before|behind)?\n/m
const IMPORT = /^import [\s\S]*? from '[^']+'\n/gm
const REPOSITORY = fileURLToPath(new URL('..', import.meta.url))
const FENCE = /^```(.*)\n[\s\S]*?^```/gm

/** The marks that a block may have. A block with another mark would be neither run nor compiled, so it is not allowed. */
export const FENCES = ['ts', 'typescript', 'ts compiled', 'sh', 'json', 'hcl', 'sql', '']

/**
 * @typedef {{ readonly imports: string, readonly declarations: string, readonly body: string }} Program
 * @typedef {'ts' | 'typescript' | 'ts compiled'} PieceKind
 */

/** @param {string} text of the page */
const piecesOf = (text) =>
  [...text.matchAll(BLOCK)].map(([, mark, code]) => ({ kind: /** @type {PieceKind} */ (mark), code: code ?? '' }))

/**
 * The program that runs.
 * @param {string} text of the page
 * @returns {Program | undefined} undefined for a page without code
 */
export function programOf(text) {
  const pieces = piecesOf(text)
  const of = (pieceKind) => pieces.flatMap(({ kind, code }) => (kind === pieceKind ? [code] : [])).join('\n')
  const code = of('ts')
  if (code === '') return undefined
  return {
    imports: [...code.matchAll(IMPORT)].map(([line]) => line).join(''),
    declarations: of('typescript'),
    body: code.replaceAll(IMPORT, ''),
  }
}

/**
 * The modules that must compile: the program of the page, and each `ts compiled` block.
 * @param {string} text of the page
 * @returns {string[]}
 */
export function modulesOf(text) {
  const page = programOf(text)
  const alone = piecesOf(text).flatMap(({ kind, code }) => (kind === 'ts compiled' ? [code] : []))
  return [...(page ? [`${page.imports}\n${page.declarations}\n${page.body}`] : []), ...alone].map(
    (code) => `${code}\nexport {}\n`,
  )
}

/**
 * @param {string} text of the page
 * @returns {boolean} whether the page has code that a reader does not see
 */
export const hasHiddenCode = (text) => HIDDEN.test(text)

const PRINTS = /^(.*?)console\.log\((.*)\) \/\/ (?!such as)(.+)$/gm

/**
 * Replaces lines such as `console.log(valid) // true` by a call of a function with the text of the comment and the printed value. A comment that
 * begins with "such as" is only an example, so that line is kept.
 * @param {string} body
 * @param {string} name of the function
 */
export const withPrintedValues = (body, name) =>
  body.replaceAll(PRINTS, (_, before, values, text) => `${before}${name}(${JSON.stringify(text)}, ${values})`)

/**
 * @param {string} text of the page
 * @returns {string[]} the marks of its blocks
 */
export const fencesOf = (text) => [...text.matchAll(FENCE)].map(([, mark]) => mark ?? '')

/**
 * Makes relative imports absolute. Snippets for contributors are shown as in a test file, so `../fixtures` means a folder of `test`.
 * @param {string} page its path in the repository
 * @param {string} code
 */
export const withAbsoluteImports = (page, code) =>
  code.replaceAll(/(from ')\.\.\//g, `$1${REPOSITORY}${page.includes('contributing/') ? 'test/' : ''}`)
