// What a report of vitest (`--reporter=json`) says: `passed failed skipped` on standard output; on standard error each test that failed with
// its first words, and each file that did not load. Run by `.ci/run`, which repeats the latter at the end of its log.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'))
console.log(report.numPassedTests, report.numFailedTests, report.numPendingTests + (report.numTodoTests ?? 0))

for (const file of report.testResults) {
  const path = relative(process.cwd(), file.name)
  const failed = file.assertionResults.filter(({ status }) => status === 'failed')
  if (file.status === 'failed' && failed.length === 0) console.error(`${path}\n  ${firstWords(file.message)}`)
  for (const { fullName, failureMessages } of failed) console.error(`${path} > ${fullName}\n  ${firstWords(failureMessages[0])}`)
}

function firstWords(message) {
  return String(message ?? '')
    .trim()
    .split('\n', 6)
    .join('\n  ')
    .slice(0, 1_000)
}
