// Reads the snippets of a documentation page as programs.
//
// The `ts` blocks of a page are one program, in order. `typescript` blocks are declarations, which have no effect when the program runs. A block
// marked `ts compiled` is a module of its own that is compiled and never run, because it needs a server or an account. A page prints all that its
// snippets need: there is no hidden code.
import { fileURLToPath } from 'node:url'

const BLOCK = /^```(ts|typescript|ts compiled)\n([\s\S]*?)^```/gm
/** Code in a comment, which no reader sees. */
const HIDDEN = /^<!-- *(?:before|behind)?\n/m
const IMPORT = /^import [\s\S]*? from '[^']+'\n/gm
const REPOSITORY = fileURLToPath(new URL('..', import.meta.url))
const FENCE = /^```(.*)\n[\s\S]*?^```/gm

/** The marks that a block may have. Code in any other language would neither be run nor compiled. */
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
  const of = (wanted) => pieces.flatMap(({ kind, code }) => (kind === wanted ? [code] : [])).join('\n')
  const code = of('ts')
  if (code === '') return undefined
  return {
    imports: [...code.matchAll(IMPORT)].map(([line]) => line).join(''),
    declarations: of('typescript'),
    body: code.replaceAll(IMPORT, ''),
  }
}

/**
 * The modules that must compile: the page as it is printed, and each block that stands alone.
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
 * @returns {boolean} whether the page has code that it does not print
 */
export const hasHiddenCode = (text) => HIDDEN.test(text)

const PRINTS = /^(.*?)console\.log\((.*)\) \/\/ (?!such as)(.+)$/gm

/**
 * Has the lines that print a value, with the text in a comment after it (`console.log(valid) // true`), pass both to a function.
 * A comment that begins with "such as" is an example.
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
 * Snippets for contributors are printed as they stand in a test file, so `../fixtures` is a folder of `test`.
 * @param {string} page its path in the repository
 * @param {string} code
 */
export const withAbsoluteImports = (page, code) =>
  code.replaceAll(/(from ')\.\.\//g, `$1${REPOSITORY}${page.includes('contributing/') ? 'test/' : ''}`)
