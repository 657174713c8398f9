/** How closing an account is judged: stories of bookings and closings, played by the code and by a model of our own. */

/** Plays a story of bookings and closings; an account is named by its place. */
export const DRIVE = `from src.orchard.accounts import Account
def story(steps):
    accounts, seen = [Account(name) for name in 'abc'], []
    for kind, place, value in steps:
        try:
            given = accounts[place].book(value) if kind == 'book' else accounts[place].close(accounts[value])
        except ValueError:
            given = 'refused'
        seen.append([given, [one.balance() for one in accounts], [len(one.amounts) for one in accounts]])
    return seen
`
type Step = readonly ['book' | 'close', number, number]
export const STORIES: readonly (readonly Step[])[] = [
  [
    ['book', 0, 30],
    ['book', 0, -5],
    ['close', 0, 1],
    ['close', 0, 1],
    ['book', 0, 1],
    ['book', 1, 4],
  ],
  [
    ['book', 2, 9],
    ['close', 2, 2],
    ['close', 2, 0],
    ['close', 0, 2],
    ['close', 0, 1],
  ],
  [
    ['close', 1, 0],
    ['book', 1, 3],
    ['book', 0, -7],
    ['close', 0, 2],
    ['close', 2, 1],
  ],
]

/** The same story by a model of our own: balances and numbers of bookings. */
export function told(steps: readonly Step[]) {
  const accounts = [0, 1, 2].map(() => ({ sum: 0, bookings: 0, isClosed: false }))
  const book = (place: number, amount: number): boolean => {
    const account = accounts[place]
    if (account === undefined || account.isClosed) return false
    account.sum += amount
    account.bookings += 1
    return true
  }
  return steps.map(([kind, place, value]) => {
    const account = accounts[place]
    let given: number | string | null = null
    if (kind === 'book') given = book(place, value) ? null : 'refused'
    else if (account === undefined || account.isClosed || place === value) given = 'refused'
    else {
      given = account.sum
      if (given !== 0 && !book(value, given)) given = 'refused'
      else {
        if (given !== 0) book(place, -given)
        account.isClosed = true
      }
    }
    return [given, accounts.map(({ sum }) => sum), accounts.map(({ bookings }) => bookings)]
  })
}
