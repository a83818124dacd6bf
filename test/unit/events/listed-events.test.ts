import { describe, expect, it } from 'vitest'
import { createKernel } from '../../../src/chosen-kernel.ts'
import { type Api, engineValue, f, jsonRecord, operation } from '../../../src/engine.ts'
import { keySeal, memoryStorage } from '../../../src/index.ts'

const NOTE = jsonRecord<{ readonly text: string }>({ folder: 'note' })

const writeNote = operation({
  kind: 'write',
  verb: 'POST',
  path: '/notes/:name',
  summary: 'Writes a note and publishes an event.',
  fields: { name: f.name('Its name.'), event: f.text('The type of the event.') },
  returns: {},
  run(tx, { name, event }) {
    tx.put(NOTE, name, { text: event })
    // The cast avoids merging into `CommittedEvents`, which would add the type to the events of every test.
    tx.event(event as 'policy.written', { name })
    return undefined
  },
})
const readNote = operation({
  kind: 'read',
  verb: 'GET',
  path: '/notes/:name',
  summary: 'Reads a note.',
  fields: { name: f.name('Its name.') },
  returns: { text: f.text('What it says.') },
  run: (tx, { name }) => tx.get(NOTE, name),
})
const operations = { writeNote, readNote }

const notes = () =>
  engineValue<{ notes: Api<typeof operations> }>({
    type: 'notes',
    mounts: 'secret',
    operations,
    due: {},
    events: ['note.written'],
    fresh: [{ path: 'notes/', description: 'notes' }],
    facades: { notes: { path: 'notes/', operations } },
  })

const kernelWithNotes = () =>
  createKernel({ engines: [notes()], storage: memoryStorage(), seal: keySeal(new Uint8Array(32)), initialize: true })

const REFUSAL = 'the engine notes does not list the event note.erased: add it to the member events of the engine'

describe('an engine that publishes an event', () => {
  it('reaches subscribers if it lists the type of the event', async () => {
    await using kernel = await kernelWithNotes()
    const stream = kernel.events.stream({ types: ['note.written' as 'policy.written'] })
    await kernel.notes.writeNote({ name: 'a', event: 'note.written' })
    expect((await stream.next()).value).toMatchObject({ type: 'note.written', mount: 'notes/', name: 'a' })
  })

  it('is refused with a message that names the engine and the type if it does not list the type', async () => {
    await using kernel = await kernelWithNotes()
    await expect(kernel.notes.writeNote({ name: 'a', event: 'note.erased' })).rejects.toThrow(new TypeError(REFUSAL))
    await expect(kernel.notes.readNote({ name: 'a' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
    const { status } = await kernel.handle({
      method: 'POST',
      path: '/v1/notes/notes/a',
      headers: { 'X-Service-Token': kernel.rootToken as string },
      body: { event: 'note.erased' },
    })
    expect(status).toBe(500)
  })

  it('need not list the types that the kernel itself declares', async () => {
    await using kernel = await kernelWithNotes()
    await expect(kernel.notes.writeNote({ name: 'a', event: 'auth_role.written' })).resolves.toBeDefined()
  })
})
