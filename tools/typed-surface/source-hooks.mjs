// Loader hooks that compile the sources when Node imports them, because Node 20 cannot run TypeScript.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import ts from 'typescript-5'

/** Resolves `#platform/*` to the sources instead of the built files. */
export const resolve = (specifier, context, next) =>
  next(specifier, { ...context, conditions: [...context.conditions, 'strongroom-source'] })

const OPTIONS = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023, verbatimModuleSyntax: true }

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context)
  const source = await readFile(fileURLToPath(url), 'utf8')
  return { format: 'module', shortCircuit: true, source: ts.transpileModule(source, { compilerOptions: OPTIONS }).outputText }
}
