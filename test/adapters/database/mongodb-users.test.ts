/** A MongoDB user that the server does not drop. The server is a stub, because a real server drops every user. */
import { expect, it } from 'vitest'
import { MongoUsers } from '../../../src/adapters/database-mongodb/connection.ts'

const refusal = Object.assign(new Error('not authorized'), { name: 'MongoServerError', code: 13 })

it('MongoUsers.deleteUser removes all roles of a user that MongoDB refuses to drop, and reports the refusal', async () => {
  const commands: object[] = []
  const command = async (sent: object): Promise<unknown> => {
    commands.push(sent)
    if ('dropUser' in sent) throw refusal
    return { users: [{ db: 'app' }] }
  }
  const client = { async connect() {}, async close() {}, db: () => ({ command }) }
  const signal = AbortSignal.timeout(60_000)
  const connection = new MongoUsers(client, 'admin')
  const dropped = connection.deleteUser({ username: 'u', statements: [] }, signal)
  await expect(dropped).rejects.toMatchObject({ reason: 'statement' })
  expect(commands.slice(1)).toEqual([
    expect.objectContaining({ dropUser: 'u' }),
    expect.objectContaining({ updateUser: 'u', roles: [] }),
  ])
  await connection.close()
})
