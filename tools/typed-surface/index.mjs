// Generates the interfaces of the typed surface from the definitions of the operations. Used by tools/typed-surface.mjs and by a test, both of which
// compare the result with the committed files.
import { FACADES } from './facades.mjs'
import { methodExamples } from './method-examples.mjs'
import { NamedRecords } from './named-records.mjs'
import { operationDocs } from './operation-docs.mjs'
import { REFUSALS } from './refusals/index.mjs'
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
  const documented = operationDocs(root)
  const examples = new Map([...methodExamples(root), ...documented.examples])
  const records = new NamedRecords(types)
  const files = new Map()
  for (const facade of FACADES) {
    const exports = await load(facade.module)
    const operations = facade.operations.split('.').reduce((value, name) => value[name], exports)
    const refusals = { ...REFUSALS[facade.name], ...documented.refusals[facade.name] }
    const parts = { operations, types, refusals, examples, records }
    const rendered = facade.records ? renderServiceFacade(facade, parts) : renderFacade(facade, parts)
    for (const [file, text] of rendered) files.set(file, text)
  }
  return new Map([...files, ...renderRecords(records)])
}
