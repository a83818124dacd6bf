// Generates the interfaces of the typed surface from the definitions of the operations, and functions from their examples. Used by
// tools/typed-surface.mjs and by a test, both of which compare the result with the committed files.
//
// The doc comment above an operation documents its refusals and its example. If a builder makes the operation, the doc comment is above the
// summary that a caller passes to the builder (`summaries: { create: ... }`), or above the property of the record of operations, or in the builder.
// Methods of interfaces that are written by hand have their doc comments there.
import { EXAMPLE_FUNCTIONS, exampleFunctions } from './example-functions.mjs'
import { FACADES } from './facades.mjs'
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
  for (const facade of FACADES) {
    const exports = await load(facade.module)
    const operations = facade.operations.split('.').reduce((value, name) => value[name], exports)
    const parts = { operations, types, refusals: refusals[facade.name], examples, records }
    const rendered = facade.records ? renderServiceFacade(facade, parts) : renderFacade(facade, parts)
    for (const [file, text] of rendered) files.set(file, text)
  }
  return new Map([...files, ...renderRecords(records), [EXAMPLE_FUNCTIONS, exampleFunctions(examples)]])
}
