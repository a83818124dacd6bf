export const LONG_SCHEDULES: Readonly<Record<string, string>> = {
  '100,000 stars': '*'.repeat(100_000),
  '50,001 minutes': `${'1,'.repeat(50_000)}1 * * * *`,
  '100,000 spaces': ' '.repeat(100_000),
  'a minute of 1,000 digits': `${'0'.repeat(1_000)} * * * *`,
  '251 steps': `${'*/1,'.repeat(250)}* * * * *`,
}
