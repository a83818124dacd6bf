/** Log records of a primary are applied in groups, each in one commit. */
import { describe, expect, it } from 'vitest'
import { MAX_COMMIT_OPS } from '../../../src/core/storage/max-commit-ops.ts'
import { groupByCommit } from '../../../src/sys/replication/follow/apply-records.ts'
import { CHECKPOINT_INTERVAL } from '../../../src/sys/replication/log/tree-updater.ts'
import type { SentRecord } from '../../../src/sys/replication/serve/fetch.ts'

const record = (index: number, ops = 1, bytes = 1): SentRecord => ({
  index,
  ops: Array.from({ length: ops }, (_, at) => ({ key: `r/m/secret/${index}-${at}`, value: new Uint8Array(bytes) })),
  guards: [],
})

const indexesOf = (records: readonly SentRecord[]): readonly (readonly number[])[] =>
  [...groupByCommit(records)].map((group) => group.map(({ index }) => index))

describe('the groups of log entries that a secondary applies in one commit', () => {
  it('contain several small entries', () => {
    expect(indexesOf([record(1), record(2), record(3)])).toEqual([[1, 2, 3]])
  })

  it('end before the index of a checkpoint', () => {
    const at = CHECKPOINT_INTERVAL
    expect(indexesOf([record(at - 2), record(at - 1), record(at), record(at + 1)])).toEqual([
      [at - 2, at - 1],
      [at, at + 1],
    ])
  })

  it('contain at most as many operations as a commit may have', () => {
    const half = MAX_COMMIT_OPS / 2
    expect(indexesOf([record(1, half), record(2, half), record(3, 1)])).toEqual([[1, 2], [3]])
  })

  it('contain only one entry if that entry exceeds the size of a group', () => {
    expect(indexesOf([record(1), record(2, 1, 2_000_000), record(3)])).toEqual([[1], [2], [3]])
    expect(indexesOf([record(1, MAX_COMMIT_OPS + 5)])).toEqual([[1]])
  })

  it('are none if there are no entries', () => {
    expect(indexesOf([])).toEqual([])
  })
})
