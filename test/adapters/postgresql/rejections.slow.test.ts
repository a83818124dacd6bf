/**
 * No rejected promise of the driver ends the process. This needs a separate process, in which Node treats unhandled rejections as fatal.
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it } from 'vitest'
import { compiled } from '../../fixtures/compiled.ts'
import { describePostgresql, postgresqlBench } from '../../fixtures/postgresql/bench.ts'
import { postgresqlUrl } from '../../fixtures/postgresql/server.ts'

describePostgresql('a process with a store on PostgreSQL', () => {
  const bench = postgresqlBench()
  let program: string
  beforeAll(() => {
    program = fileURLToPath(compiled('test/adapters/postgresql/rejecting.child.ts'))
  })

  it('survives a rejection of any promise that the driver returns', async () => {
    const child = fork(program, [await postgresqlUrl(), bench.schema], { execArgv: [] })
    let result: { tried: number } | undefined
    child.on('message', (message) => {
      result = message as { tried: number }
    })
    const code = await new Promise((resolve) => child.once('exit', resolve))
    expect([code, result?.tried]).toEqual([0, expect.any(Number)])
    expect(result?.tried).toBeGreaterThan(20)
  })
})
