import { memberLines } from '../align-columns.ts'
import { command } from '../command.ts'

export const replicationStatus = command({
  name: 'replication status',
  summary: 'Show the state of this cluster in both kinds of replication',
  example: 'replication status',
  async run({ session }) {
    const { performance, dr } = await (await session.caller()).replication.status()
    const lines = [
      'performance:',
      ...memberLines(performance).map((line) => `  ${line}`),
      'disaster recovery:',
      ...memberLines(dr).map((line) => `  ${line}`),
    ]
    return { data: { performance, dr }, text: lines.join('\n') }
  },
})
