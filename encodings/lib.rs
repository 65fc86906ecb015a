//! Encodings: (net, goal, facts) → terms or linear programs. An encoding never calls a solver.
