import { defineSuite } from 'agent-bench'

export default defineSuite({ title: 'Calling tools at all' })
