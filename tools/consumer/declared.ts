// Exports kernels, views and an engine without naming their types. TypeScript must be able to write declarations of this file. Compiled by
// types.mjs, never run.
import { createDevKernel, createKernel, keySeal, memoryStorage } from 'strongroom'
import { engineValue, f, operation } from 'strongroom/engine'
import { database, transit } from 'strongroom/engines'
import { createKernel as createChosenKernel } from 'strongroom/kernel'
import { leases, policies } from 'strongroom/sys'

const options = () => ({ storage: memoryStorage(), seal: keySeal(new Uint8Array(32)) })

export const chosen = () => createChosenKernel({ engines: [transit(), database()], sys: [policies(), leases()], ...options() })
export const chosenView = async () => (await chosen()).as('token')
export const chosenFacade = async () => (await chosen()).transit.at('payments/')

export const whole = () => createKernel(options())
export const dev = () => createDevKernel()
export const view = async () => (await dev()).as('token')
export const source = async () => (await dev()).database.credentialSource({ role: 'app' })

export const operations = {
  read: operation({
    kind: 'read',
    verb: 'GET',
    path: '/things/:name',
    summary: 'Reads a thing.',
    fields: { name: f.name('The name.') },
    returns: { value: f.text('The value.') },
    run: (_tx, { name }) => ({ value: name }),
  }),
}
export const own = () =>
  engineValue({ type: 'own', mounts: 'secret', operations, due: {}, facades: { own: { path: 'own/', operations } } })
