package result

import (
	"math/big"

	"gonum.org/v1/gonum/stat/distuv"
)

// quantile is Student's t for a two-sided interval of 95 %, rounded to six significant digits: the floating-point
// arithmetic behind it then shows on no processor.
func quantile(freedom int64) *big.Rat {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(freedom)}.Quantile(0.975)
	return new(big.Rat).SetFloat64(round6(t))
}

// root is the square root of a number from 0 on, rounded down by less than one part in 2^60 of it.
func root(x *big.Rat) *big.Rat {
	if x.Sign() == 0 {
		return new(big.Rat)
	}
	// root(n/d) = root(n*d) / d, and n*d is an integer from 1 on.
	const bits = 60
	n := new(big.Int).Mul(x.Num(), x.Denom())
	n.Sqrt(n.Lsh(n, 2*bits))
	return new(big.Rat).SetFrac(n, new(big.Int).Lsh(x.Denom(), bits))
}
