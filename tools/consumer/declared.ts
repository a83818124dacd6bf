// Exports kernels, views and an engine without naming their types. TypeScript must be able to write declarations of this file.

import { createDevKernel, keySeal, memoryStorage, createKernel as whole } from 'strongroom'
import { batchOperation, effectOperation, engineValue, f, operation } from 'strongroom/engine'
import { database, transit } from 'strongroom/engines'
import { createKernel } from 'strongroom/kernel'
import { leases, policies } from 'strongroom/sys'
export const open = () =>
  createKernel({
    engines: [transit(), database()],
    sys: [policies(), leases()],
    storage: memoryStorage(),
    seal: keySeal(new Uint8Array(32)),
  })
export const dev = () => createDevKernel()
export const all = () => whole({ storage: memoryStorage(), seal: keySeal(new Uint8Array(32)) })
export const operations = {
  read: operation({
    kind: 'read',
    verb: 'GET',
    path: '/things/:name',
    summary: 'Reads.',
    fields: { name: f.name('The name.') },
    returns: { value: f.text('The value.') },
    run: (tx, { name }) => ({ value: name }),
  }),
}
export const own = () =>
  engineValue({ type: 'own', mounts: 'secret', operations, due: {}, facades: { own: { path: 'own/', operations } } })
export const view = async () => (await createDevKernel()).as('token')
export const source = async () => (await createDevKernel()).database.credentialSource({ role: 'a' })
export const tokenView = async () => (await open()).as('x')
export const at = async () => (await open()).transit.at('payments/')
