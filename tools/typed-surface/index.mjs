// Generates the interfaces of the typed surface from the definitions of the operations, and functions from their examples. Used by
// tools/typed-surface.mjs and by a test, both of which compare the result with the committed files.
//
// The doc comment above an operation documents its refusals and its example. If a builder makes the operation, the doc comment is above the
// summary that a caller passes to the builder (`summaries: { create: ... }`), or above the property of the record of operations, or in the builder.
// Methods of interfaces that are written by hand have their doc comments there.
import { interfaceText } from './declared-interface.mjs'
import { EXAMPLE_FUNCTIONS, exampleFunctions } from './example-functions.mjs'
import { FACADES } from './facades.mjs'
import { inFiles, siblingFiles } from './files.mjs'
import { NamedRecords } from './named-records.mjs'
import { operationDocs } from './operation-docs.mjs'
import { renderFacade } from './render.mjs'
import { renderRecords, renderServiceFacade } from './render-service.mjs'
import { typeTexts } from './type-texts.mjs'

/**
 * @param {string} root of the project, without a slash at its end
 * @param {(module: string) => Promise<any>} load imports a source by its path below `src/`
 * @returns {Promise<ReadonlyMap<string, string>>} Files by path below `src/`.
 */
export async function typedSurface(root, load) {
  const types = typeTexts(root, [...new Set(FACADES.map(({ module }) => module))])
  const { refusals, examples } = operationDocs(root)
  const records = new NamedRecords(types)
  const files = new Map()
  const rendered = new Map()
  for (const facade of FACADES) {
    const exports = await load(facade.module)
    const operations = facade.operations.split('.').reduce((value, name) => value[name], exports)
    const parts = { operations, types, refusals: refusals[facade.name], examples, records }
    if (facade.records) {
      for (const [file, text] of renderServiceFacade(facade, parts)) files.set(file, text)
      continue
    }
    rendered.set(facade, renderFacade(facade, { ...parts, base: rendered.get(baseOf(facade)) }))
  }
  // Only now the interfaces name all methods that use them.
  for (const [facade, { surface, argumentTypes, resultTypes, known, shared }] of rendered) {
    const argumentTexts = argumentTypes.map(interfaceText)
    const resultTexts = resultTypes.map(interfaceText)
    const imported = shared.map((name) => [name, declaringFile(files, baseOf(facade), name.split(' ', 1)[0])])
    const texts = { surface, argumentTexts, resultTexts, known: new Map([...known, ...imported]) }
    for (const [file, text] of inFiles(facade.file, texts)) files.set(file, text)
  }
  return new Map([...files, ...renderRecords(records), [EXAMPLE_FUNCTIONS, exampleFunctions(examples)]])
}

const baseOf = ({ base }) => base && FACADES.find(({ name }) => name === base.facade)

/** The file, among the generated files of a facade, that declares an interface. */
const declaringFile = (files, facade, name) =>
  [facade.file, ...siblingFiles(facade.file)].find((file) => files.get(file)?.includes(`export interface ${name} `))
