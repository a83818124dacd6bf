/**
 * Tests that secrets of other owners are protected. The kernel calls `describe` before it writes. Between the two calls, another owner can
 * create a secret with the same name. So `put` in mode `create` must leave an existing secret unchanged.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { SyncCase } from './sync-bench.ts'

const MARK = 'conformance-mark'
const OWN = '00112233445566778899aabbccddeeff'
const OTHER = 'ffeeddccbbaa99887766554433221100'

const ownedBy = (owner: string) => ({ tags: { [MARK]: owner }, owner })

export const syncOwnerCases: readonly SyncCase[] = [
  {
    name: 'refuses to replace an existing secret in mode create',
    async run({ session, open, push, name, read, signal, fails }) {
      const target = name()
      const created = await session.put(push(target, 'first', { mode: 'create', ...ownedBy(OTHER) }), signal)
      assert.equal(created.created, true)
      const late = push(target, 'value-of-another', { mode: 'create', ...ownedBy(OWN) })
      await fails(['conflict'], () => session.put(late, signal), 'value-of-another')
      await fails(['conflict'], () => open().put(late, signal), 'value-of-another')
      // Even with the current version in `previous`, mode `create` must not replace the secret.
      const { externalVersion = 'old' } = created
      await fails(['conflict'], () => session.put({ ...late, previous: externalVersion }, signal), 'value-of-another')
      assert.equal(await read(target), 'first')
    },
  },
  {
    name: 'changes the owner of a secret that it replaces in mode adopt',
    async run({ destination: { rules }, session, push, name, read, signal }) {
      const target = name()
      await session.put(push(target, 'theirs', { mode: 'create', ...ownedBy(OTHER) }), signal)
      await session.put(push(target, 'own', { mode: 'adopt', ...ownedBy(OWN) }), signal)
      assert.equal(await read(target), 'own')
      if (!session.describe || !(rules.marks ?? rules.tags)) return
      assert.equal((await session.describe({ name: target, mark: MARK, owner: OWN }, signal)).managed, true)
    },
  },
  {
    name: 'describe reports as managed only a secret of the requested owner',
    async run({ destination: { rules }, session, push, name, signal }) {
      if (!session.describe) return
      const [target, bare] = [name(), name()]
      const { externalVersion } = await session.put(push(target, 'value', { mode: 'create', ...ownedBy(OWN) }), signal)
      await session.put(push(bare, 'value', { mode: 'create' }), signal)
      const known = externalVersion === undefined ? {} : { externalVersion }
      const of = (owner: string, more = {}) => session.describe!({ name: target, mark: MARK, owner, ...more }, signal)
      const hasMarks = rules.marks ?? rules.tags
      // Without marks, `describe` can recognize a secret only by its version, so without a version it must not decide.
      assert.equal((await of(OWN)).managed, hasMarks ? true : undefined)
      assert.notEqual((await of(OWN, known)).managed, false)
      if (!hasMarks) return
      assert.equal((await of(OTHER)).managed, false)
      assert.equal((await of(OTHER, known)).managed, false)
      assert.equal((await session.describe({ name: bare, mark: MARK, owner: OWN }, signal)).managed, false)
    },
  },
  {
    name: 'lets only the owner restore a secret that is scheduled for deletion',
    async run({ session, push, name, read, signal, fails }) {
      if (!session.describe) return
      const target = name()
      await session.put(push(target, 'theirs', { mode: 'create', ...ownedBy(OTHER) }), signal)
      await session.remove({ name: target, opId: randomUUID(), owner: OTHER }, signal)
      const told = await session.describe({ name: target, mark: MARK, owner: OWN }, signal)
      assert.notEqual(told.managed, true)
      if (told.managed === undefined) return
      const late = push(target, 'value-of-another', { mode: 'create', ...ownedBy(OWN) })
      await fails(['conflict'], () => session.put(late, signal), 'value-of-another')
      assert.equal((await session.describe({ name: target, mark: MARK, owner: OTHER }, signal)).managed, true)
      await session.put(push(target, 'again', { mode: 'replace', ...ownedBy(OTHER) }), signal)
      assert.equal(await read(target), 'again')
    },
  },
]
